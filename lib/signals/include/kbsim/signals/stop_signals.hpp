#pragma once

#include "kbsim/base/stop.hpp"

namespace kbsim {

/// A Stoppable that SIGINT, SIGTERM and SIGHUP ask to end: stop_signal() returns the signal soon after. The
/// same signal again, 250 ms after its first or later, ends the process at once, in any state. So does a
/// signal that finds no Stoppable. A SIGHUP that is ignored (nohup) stays ignored.
class StopSignals {
 public:
  StopSignals();

 private:
  Stoppable stoppable_;
};

/// From now on SIGUSR1 makes the process print its state to stderr, and changes nothing else.
void answer_progress_signal();

}  // namespace kbsim
