#include "queue_removals.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace kbsim::hw {

void QueueRemovals::remove_what_is_idle() {
  std::erase_if(orders_, [this](const QueueOrder& order) {
    const bool idle =
        std::ranges::all_of(order.sets, [this](const std::string& set) { return is_idle(set); });
    if (!idle) return false;
    for (const std::string& set : order.sets) queues_.remove(*queues_.find(set));
    report_done(unit_, order);
    return true;
  });
  queues_.drop_removed();
  receiver_.resize();
}

bool QueueRemovals::is_idle(const std::string& name) const {
  const InstalledQueues::Set* const set = queues_.find(name);
  if (set == nullptr)
    throw KernelFault{fmt::format("no queues of {} on {} to take away", name, to_string(unit_.at()))};
  for (std::size_t queue = set->queues.first; queue < set->queues.last; ++queue) {
    const QueuePair& pair = queues_[queue];
    if (pair.has_tile()) throw leftovers_.left(pair, *pair.filled.front(), "its queue is taken away");
    const bool all_back = pair.my_head == pair.peer_tail && pair.peer_head == pair.my_tail;
    if (!all_back || !pair.sends.empty() || !receiver_.waiting().of(queue).empty()) return false;
  }
  return true;
}

}  // namespace kbsim::hw
