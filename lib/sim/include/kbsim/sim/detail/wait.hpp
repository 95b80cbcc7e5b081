#pragma once

#include <source_location>
#include <string>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/identity.hpp"

namespace kbsim::detail {

class PromiseBase;
struct TimedEvent;

/// Every awaiter: what is awaited, where in the source, and since when, for reports.
class Wait {
 public:
  explicit Wait(const std::source_location& at) : at_{at} {}
  Wait(const std::source_location& at, Time end) : at_{at}, time_{end} {}
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  /// "mailbox sip0.cube1.noc"; of the task that waits.
  [[nodiscard]] virtual std::string what(const TimedEvent& waiter) const = 0;
  [[nodiscard]] virtual Identity awaits(const TimedEvent& /*waiter*/) const { return {}; }
  /// The called task that does the waiting, if this awaits a task.
  [[nodiscard]] virtual const PromiseBase* inner() const { return nullptr; }

  [[nodiscard]] const std::source_location& at() const { return at_; }
  [[nodiscard]] Time since() const { return time_; }

 protected:
  ~Wait() = default;
  void begin(PromiseBase& promise, Time now);
  /// Before begin(): of a timer.
  [[nodiscard]] Time end() const { return time_; }

 private:
  std::source_location at_;
  Time time_;  // when it began; before that, a timer's end, which then stands in the waiter's event
};

}  // namespace kbsim::detail
