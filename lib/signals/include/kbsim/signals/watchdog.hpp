#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace kbsim {

/// Ends a run in which the last event of a simulation takes longer than this, with ExitCode::deadlock and a
/// message on stderr that names the program that runs: one that never returns is ended by nothing else. Time
/// in which kbsim computes doesn't count, nor does that in which the process is stopped. Once a process: the
/// latest limit that lives counts.
class WatchdogLimit {
 public:
  using Seconds = std::chrono::duration<double>;
  /// None at 0 s.
  explicit WatchdogLimit(Seconds most);
  ~WatchdogLimit();
  WatchdogLimit(const WatchdogLimit&) = delete;
  WatchdogLimit& operator=(const WatchdogLimit&) = delete;

 private:
  Seconds before_;
};

/// Called with the message before the watchdog ends the process, in its own thread, while the program runs.
/// Of several the newest first; they end in the reverse order of their begins.
class BeforeWatchdogEnds {
 public:
  using Act = std::function<void(const std::string&)>;
  explicit BeforeWatchdogEnds(Act act);
  ~BeforeWatchdogEnds();
  BeforeWatchdogEnds(const BeforeWatchdogEnds&) = delete;
  BeforeWatchdogEnds& operator=(const BeforeWatchdogEnds&) = delete;
};

/// From now on the watchdog's messages go there in place of stderr: those of a process that has none.
void say_hangs_to(std::function<void(const std::string&)> say);

}  // namespace kbsim
