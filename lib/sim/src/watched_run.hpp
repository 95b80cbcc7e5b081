#pragma once

#include "kbsim/base/watched.hpp"
#include "kbsim/sim/detail/scheduler.hpp"

namespace kbsim::detail {

/// A scheduler's processes and events, for a watchdog.
inline WatchedRun::Reader reader_of(const Scheduler& scheduler) {
  const auto running = [](const void* of) -> const void* {
    return static_cast<const Scheduler*>(of)->running().process();
  };
  const auto events = [](const void* of) { return static_cast<const Scheduler*>(of)->budget().events(); };
  return {.running = running, .events = events, .of = &scheduler};
}

}  // namespace kbsim::detail
