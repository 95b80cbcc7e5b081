#pragma once

#include <source_location>
#include <string>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/identity.hpp"

namespace kbsim::detail {

class PromiseBase;

/// Every awaiter: what is awaited, where in the source, and since when, for reports.
class Wait {
 public:
  explicit Wait(const std::source_location& at) : at_{at} {}
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  [[nodiscard]] virtual std::string what() const = 0;  // "mailbox sip0.cube1.noc"
  [[nodiscard]] virtual Identity awaits() const { return {}; }
  /// The called task that does the waiting, if this awaits a task.
  [[nodiscard]] virtual const PromiseBase* inner() const { return nullptr; }

  [[nodiscard]] const std::source_location& at() const { return at_; }
  [[nodiscard]] Time since() const { return since_; }

 protected:
  ~Wait() = default;
  void begin(PromiseBase& promise, Time now);

 private:
  std::source_location at_;
  Time since_{};
};

}  // namespace kbsim::detail
