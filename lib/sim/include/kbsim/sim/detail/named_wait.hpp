#pragma once

#include <source_location>
#include <string>

#include "kbsim/sim/detail/promise.hpp"

namespace kbsim::detail {

/// Waiting in the list of a named thing. A wait that is ready at once sets nothing up: what it is of is asked
/// for when somebody reports it, and it leaves the list with its task (see Task).
class NamedWait : public Wait {
 public:
  using Wait::Wait;

  /// Whoever waits is in the thing's list, or in the queue of events, unless the thing is gone.
  [[nodiscard]] std::string what(const TimedEvent& waiter) const override {
    return kind() + std::string{" "} + (waiter.linked() ? name() : "(destroyed meanwhile)");
  }

 protected:
  ~NamedWait() = default;
  [[nodiscard]] virtual const char* kind() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;  // asked while the thing is there
};

}  // namespace kbsim::detail
