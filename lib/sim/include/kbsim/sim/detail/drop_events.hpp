#pragma once

#include "kbsim/sim/detail/list.hpp"
#include "kbsim/sim/detail/scheduler.hpp"
#include "kbsim/sim/detail/timed_event.hpp"

namespace kbsim::detail {

/// Drops these events; false if there are none.
bool drop_all(List& events);

/// Drops the events that `belongs` accepts; false if there are none. Dropping an event may add others.
template <class Belongs>
bool drop_if(const Scheduler& scheduler, Belongs belongs) {
  List dropped;
  const auto leave = [&](Link& link) {
    if (!belongs(static_cast<TimedEvent&>(link))) return;
    link.unlink();
    dropped.push_back(link);
  };
  scheduler.for_each(leave);
  return drop_all(dropped);
}

}  // namespace kbsim::detail
