#include "leftover_tiles.hpp"

#include <algorithm>

#include "kbsim/tl/queue_waits.hpp"

namespace kbsim::hw {

void LeftoverTiles::begin(const LaunchId& launch) {
  begun_.insert(std::ranges::upper_bound(begun_, launch.order), launch.order);
}

void LeftoverTiles::end(std::string_view name, const LaunchId& launch) {
  ended_.insert(std::ranges::upper_bound(ended_, launch.order), launch.order);
  InstalledQueues::Set* const set = queues_.find(name);
  if (set == nullptr) return;
  set->ended_round = std::max(set->ended_round, launch.round);
  for (const QueuePair& pair : queues_.of(*set)) {
    for (const auto& tile : pair.filled) {
      if (tile && ended_here(pair, *tile)) throw left(pair, *tile, "the launch has ended");
    }
  }
}

void LeftoverTiles::require_received() const {
  for (const QueuePair& pair : queues_.all()) {
    if (queues_.settings(pair).carries_over || !pair.has_tile()) continue;
    throw left(pair, *pair.filled.front(), "all kernels have ended");
  }
}

// A neighbour may be in its next launch already. Launches on other packages are known to belong together only
// if they are a collective's.
bool LeftoverTiles::ended_here(const QueuePair& pair, const SlotHeader& tile) const {
  const InstalledQueues::Set& set = queues_.set_of(pair);
  if (set.settings.carries_over) return false;
  if (tile.launch.round > 0) return tile.launch.round <= set.ended_round;
  return has_begun(pair, tile.launch.order) && std::ranges::binary_search(ended_, tile.launch.order);
}

bool LeftoverTiles::is_for(const LaunchId& by, QueuePair& pair, const SlotHeader& tile) const {
  const LaunchId& of = tile.launch;
  const bool rounds = of.round > 0 && by.round > 0;
  const bool earlier = rounds ? of.round < by.round : of.order != by.order && has_begun(pair, of.order);
  const bool again = pair.last_sent_in == of.order && pair.last_taken_in != by.order;
  pair.last_sent_in = of.order;
  pair.last_taken_in = by.order;
  return queues_.settings(pair).carries_over || (!earlier && !again);
}

// Launches of another package are others, whatever their orders.
bool LeftoverTiles::has_begun(const QueuePair& pair, std::uint32_t order) const {
  return pair.plan.peer.sip == unit_.at().sip && std::ranges::binary_search(begun_, order);
}

KernelFault LeftoverTiles::left(const QueuePair& pair, const SlotHeader& tile, std::string_view why) const {
  return KernelFault{describe(LeftOver{.from = pair.plan.peer,
                                       .at = tile.at,
                                       .shape = tile.shape,
                                       .dtype = tile.dtype,
                                       .to = unit_.at(),
                                       .direction = queues_.label(pair)},
                              why)};
}

}  // namespace kbsim::hw
