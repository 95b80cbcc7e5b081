#pragma once

#include <chrono>

namespace kbsim::hw {

/// Duration of pieces of work on this thread. Most are too short for the processor's time, which needs a
/// system call, so the wall clock is used. If a piece took suspiciously long, the thread's processor time is
/// read instead.
class WorkClock {
 public:
  WorkClock() { mark(); }

  /// The time since resume(), at least a nanosecond.
  [[nodiscard]] std::chrono::nanoseconds pause();
  void resume();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::nanoseconds kLong{20'000};

  void mark();

  Clock::time_point since_;               // start of the piece
  Clock::time_point paused_;              // start of the unmeasured part
  Clock::time_point marked_;              // a wall-clock time
  std::chrono::nanoseconds processor_{};  // the processor's time at marked_; both advance equally after it
};

}  // namespace kbsim::hw
