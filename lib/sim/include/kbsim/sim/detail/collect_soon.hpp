#pragma once

#include "kbsim/sim/detail/scheduler.hpp"

namespace kbsim::detail {

/// Called by an event that has brought an item. Collectors go on in the late phase of this time, which begins
/// now if no other event is left at this time.
inline void collect_soon(List& collectors, Scheduler& scheduler) {
  if (collectors.empty() || !scheduler.deserted()) return scheduler.late(collectors);
  auto& first = static_cast<TimedEvent&>(collectors.pop_front());
  scheduler.late(collectors);
  scheduler.lates().begin(scheduler.now());
  first.dispatch(first, &scheduler);
}

}  // namespace kbsim::detail
