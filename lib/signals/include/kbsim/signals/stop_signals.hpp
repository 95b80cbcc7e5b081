#pragma once

#include "kbsim/base/stop.hpp"

namespace kbsim {

/// A Stoppable that SIGINT, SIGTERM and SIGHUP ask to end: stop_signal() says so soon after. The same signal
/// again, 250 ms after its first or later, ends the process at once, whatever that does. A signal that finds
/// no Stoppable ends the process, too. A SIGHUP that is ignored (nohup) stays ignored.
class StopSignals {
 public:
  StopSignals();

 private:
  Stoppable stoppable_;
};

/// From now on SIGUSR1 makes the process say where it stands, and changes nothing else.
void answer_progress_signal();

}  // namespace kbsim
