#pragma once

#include <chrono>
#include <csignal>
#include <thread>

#include <unistd.h>

#include "kbsim/base/stop.hpp"

namespace kbsim::test {

/// Sends this process a signal to stop, and waits until it has arrived. raise() would send it to a thread
/// that blocks signals.
inline void send_stop(int signal) {
  (void)kill(getpid(), signal);
  while (stop_signal() == 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

}  // namespace kbsim::test
