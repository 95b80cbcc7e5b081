#pragma once

#include <coroutine>
#include <source_location>
#include <string>

#include "kbsim/sim/detail/promise.hpp"

namespace kbsim::detail {

/// What a wait for a time does if that time has come already.
enum class IfPast { yield, go_on };

/// Waiting for a time.
template <IfPast If>
class [[nodiscard]] TimerWait final : public Wait {
 public:
  TimerWait(Scheduler& scheduler, Time when, const std::source_location& at)
      : Wait{at, when}, scheduler_{scheduler} {}

  [[nodiscard]] bool await_ready() const noexcept { return If == IfPast::go_on && end() <= scheduler_.now(); }
  template <class Promise>
  [[gnu::always_inline]] void await_suspend(std::coroutine_handle<Promise> waiter) {
    const Time when = end();
    begin(waiter.promise(), scheduler_.now());
    scheduler_.at(waiter.promise(), when);
  }
  static void await_resume() noexcept {}
  [[nodiscard]] std::string what(const TimedEvent& waiter) const override {
    return waiter.when == kForever ? "a time that never comes" : "time " + to_string(waiter.when);
  }

 private:
  Scheduler& scheduler_;
};
using Delay = TimerWait<IfPast::yield>;
using Until = TimerWait<IfPast::go_on>;

/// Waiting for the late phase of the present time.
class [[nodiscard]] LateWait final : public Wait {
 public:
  LateWait(Scheduler& scheduler, const std::source_location& at) : Wait{at}, scheduler_{scheduler} {}

  static bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiter) {
    begin(waiter.promise(), scheduler_.now());
    scheduler_.late(waiter.promise());
  }
  static void await_resume() noexcept {}
  [[nodiscard]] std::string what(const TimedEvent&) const override { return "the late phase"; }

 private:
  Scheduler& scheduler_;
};

}  // namespace kbsim::detail
