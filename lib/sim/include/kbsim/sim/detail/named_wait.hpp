#pragma once

#include <source_location>
#include <string>
#include <string_view>

#include "kbsim/sim/detail/promise.hpp"

namespace kbsim::detail {

/// Waiting in the list of a named thing. Leaves the list if the waiting coroutine is destroyed.
class NamedWait : public Wait {
 public:
  NamedWait(std::string_view kind, const std::string& name, const std::source_location& at)
      : Wait{at}, kind_{kind.data()}, name_{&name} {}

  [[nodiscard]] std::string what() const override {
    return std::string{kind_} + " " + (in_list() ? name() : "(destroyed meanwhile)");
  }

 protected:
  /// The thing is there.
  [[nodiscard]] bool in_list() const { return waiter_->linked(); }
  [[nodiscard]] virtual std::string name() const { return *name_; }
  ~NamedWait() {
    if (waiter_ != nullptr && waiter_->linked()) waiter_->unlink();
  }
  void begin(PromiseBase& waiter, Time now) {
    waiter_ = &waiter;
    Wait::begin(waiter, now);
  }

 private:
  const char* kind_;
  const std::string* name_;  // lives as long as the waiter is in the thing's list
  PromiseBase* waiter_ = nullptr;
};

}  // namespace kbsim::detail
