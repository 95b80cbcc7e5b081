// Tiles that were sent and not received: a launch may not leave them to the next one, unless the algorithm
// says so.
#include <algorithm>

#include "kbsim/hw/machine.hpp"

#include "pe_ipcq.hpp"

namespace kbsim::hw {

void PeIpcq::ended(std::string_view set, const LaunchId& launch) {
  ended_.insert(std::ranges::upper_bound(ended_, launch.order), launch.order);
  Set* const of = find(set);
  if (of == nullptr) return;
  of->ended_round = std::max(of->ended_round, launch.round);
  for (std::size_t queue = of->queues.first; queue < of->queues.last; ++queue) {
    const QueuePair& pair = pairs_[queue];
    for (const auto& header : pair.filled) {
      if (header && ended_here(pair, *header)) throw left(pair, *header, "the launch has ended");
    }
  }
}

void PeIpcq::require_received() const {
  for (const QueuePair& pair : pairs_) {
    if (settings(pair).carries_over || pair.filled.empty() || !pair.filled.front()) continue;
    throw left(pair, *pair.filled.front(), "all kernels have ended");
  }
}

// A neighbour may be in its next launch already. Launches on other packages are known to belong together only
// if they are a collective's.
bool PeIpcq::ended_here(const QueuePair& pair, const SlotHeader& header) const {
  const Set& set = sets_[pair.set];
  if (set.settings.carries_over) return false;
  if (header.launch.round > 0) return header.launch.round <= set.ended_round;
  return pair.plan.peer.sip == node().at.sip && std::ranges::binary_search(begun_, header.launch.order) &&
         std::ranges::binary_search(ended_, header.launch.order);
}

// False for a tile that an earlier launch here has left, and if two launches receive tiles of one launch.
bool PeIpcq::is_for(const LaunchId& by, QueuePair& pair, const SlotHeader& header) const {
  const LaunchId& of = header.launch;
  const bool here = pair.plan.peer.sip == node().at.sip && std::ranges::binary_search(begun_, of.order);
  const bool earlier = of.round > 0 && by.round > 0 ? of.round < by.round : here && of.order != by.order;
  const bool again = pair.last_sent_in == of.order && pair.last_taken_in != by.order;
  pair.last_sent_in = of.order;
  pair.last_taken_in = by.order;
  return settings(pair).carries_over || (!earlier && !again);
}

KernelFault PeIpcq::left(const QueuePair& pair, const SlotHeader& header, std::string_view why) const {
  return KernelFault{describe(LeftOver{.from = pair.plan.peer,
                                       .at = header.at,
                                       .shape = header.shape,
                                       .dtype = header.dtype,
                                       .to = node().at,
                                       .direction = label(pair)},
                              why)};
}

}  // namespace kbsim::hw
