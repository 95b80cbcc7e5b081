#pragma once

#include <chrono>

namespace kbsim::hw {

/// How long pieces of work took this thread. Most are far too short to be asked for the processor's time,
/// which is a system call; so the wall's is taken, and a piece that took suspiciously long is asked how much
/// of that the thread had the processor.
class WorkClock {
 public:
  WorkClock() { mark(); }

  /// Since resume(), at least a nanosecond.
  [[nodiscard]] std::chrono::nanoseconds pause();
  void resume();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::nanoseconds kLong{20'000};

  void mark();

  Clock::time_point since_;               // of the piece
  Clock::time_point paused_;              // of what isn't measured
  Clock::time_point marked_;              // the wall's time ...
  std::chrono::nanoseconds processor_{};  // ... at which the processor's was this; since then they went alike
};

}  // namespace kbsim::hw
