#pragma once

#include "kbsim/base/time.hpp"
#include "kbsim/sim/detail/list.hpp"

namespace kbsim::detail {

class Scheduler;

/// An event: what to do, and when. It stands in front of a coroutine's promise or of a posted item.
/// Called without a scheduler it is dropped: it releases what it owns and runs nothing.
struct TimedEvent : Link {
  using Dispatch = void (*)(TimedEvent&, Scheduler*);

  explicit TimedEvent(Dispatch what) : dispatch{what} {}

  Time when{};
  Dispatch dispatch;
};

}  // namespace kbsim::detail
