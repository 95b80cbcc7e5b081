#pragma once

#include <functional>

namespace kbsim {

/// Calls `act` with the first signal that asks for the end while it lives, in the thread that takes signals;
/// if one has asked before, at once. No call is under way after its destructor. Not for a signal that finds
/// no Stoppable, which ends the process.
class OnStop {
 public:
  using Act = std::function<void(int signal)>;
  explicit OnStop(Act act);
  ~OnStop();
  OnStop(const OnStop&) = delete;
  OnStop& operator=(const OnStop&) = delete;

 private:
  Act act_;
};

}  // namespace kbsim
