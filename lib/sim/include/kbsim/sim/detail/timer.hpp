#pragma once

#include <coroutine>
#include <source_location>
#include <string>

#include "kbsim/sim/detail/promise.hpp"
#include "kbsim/sim/detail/scheduler.hpp"

namespace kbsim::detail {

/// The behaviour of a wait for a time that has already come.
enum class IfPast { yield, go_on };

/// The awaiter of a task that already waits in a list, or goes on.
struct Suspension {
  bool goes_on = false;
  [[nodiscard]] bool await_ready() const noexcept { return goes_on; }
  static void await_suspend(std::coroutine_handle<>) noexcept {}
  static void await_resume() noexcept {}
};

inline constexpr WaitKind kTimer{.text = "time",
                                 .what = [](const WaitKind& kind, const void*, const TimedEvent& waiter) {
                                   if (waiter.when == kForever) return std::string{"a time that never comes"};
                                   return std::string{kind.text} + " " + to_string(waiter.when);
                                 }};
inline constexpr WaitKind kLate{
    .text = "the late phase",
    .what = [](const WaitKind& kind, const void*, const TimedEvent&) { return std::string{kind.text}; }};

/// Waiting for a time.
struct [[nodiscard]] Delay {
  Scheduler& scheduler;
  Time end;
  std::source_location at;

  [[gnu::always_inline]] std::suspend_always suspend(PromiseBase& task) const {
    task.waits(kTimer, at, scheduler.now());
    scheduler.at(task, end);
    return {};
  }
};

/// The same, unless that time has come.
struct [[nodiscard]] Until {
  Scheduler& scheduler;
  Time end;
  std::source_location at;

  [[gnu::always_inline]] Suspension suspend(PromiseBase& task) const {
    if (end <= scheduler.now()) return {.goes_on = true};
    task.waits(kTimer, at, scheduler.now());
    scheduler.at(task, end);
    return {};
  }
};

/// Waiting for the late phase of the present time.
struct [[nodiscard]] LateWait {
  Scheduler& scheduler;
  std::source_location at;

  std::suspend_always suspend(PromiseBase& task) const {
    task.waits(kLate, at, scheduler.now());
    scheduler.late(task);
    return {};
  }
};

}  // namespace kbsim::detail
