// How queues are removed: when nothing is in them and every credit has returned.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "kbsim/hw/machine.hpp"

#include "pe_ipcq.hpp"

namespace kbsim::hw {

void PeIpcq::remove_what_is_idle() {
  std::erase_if(removals_, [this](const Removal& removal) {
    const bool idle =
        std::ranges::all_of(removal.sets, [this](const std::string& set) { return is_idle(set); });
    if (!idle) return false;
    for (const std::string& set : removal.sets) remove(set);
    report(removal.from, removal.token, removal.start);
    return true;
  });
  drop_removed();
}

bool PeIpcq::is_idle(const std::string& set) {
  const Set* const of = find(set);
  if (of == nullptr)
    throw KernelFault{fmt::format("no queues of {} on {} to take away", set, to_string(node().at))};
  for (std::size_t queue = of->queues.first; queue < of->queues.last; ++queue) {
    const QueuePair& pair = pairs_[queue];
    if (pair.has_tile()) throw left(pair, *pair.filled.front(), "its queue is taken away");
    const bool all_back = pair.my_head == pair.peer_tail && pair.peer_head == pair.my_tail;
    if (!all_back || !pair.sends.empty() || !receives_.of(queue).empty()) return false;
  }
  return true;
}

void PeIpcq::remove(const std::string& set) {
  Set& of = *find(set);
  of.removed = true;
  if (in_use_ == &of) in_use_ = &none_;
  const auto queues = std::span{pairs_}.subspan(of.queues.first, of.queues.last - of.queues.first);
  const auto rings = std::ranges::count_if(queues, &QueuePair::has_ring);
  if (!of.fetches) rings_in_tcm_ -= of.settings.ring_size() * rings;
}

// Only removed sets at the end go: the other queues keep their indices, which tiles and commands use.
void PeIpcq::drop_removed() {
  while (!sets_.empty() && sets_.back().removed) {
    pairs_.resize(sets_.back().queues.first);
    sets_.pop_back();
  }
  receives_.resize(pairs_.size());
}

}  // namespace kbsim::hw
