#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace kbsim {

/// Ends a run in which the last event of a simulation takes longer than this, with ExitCode::deadlock and a
/// message on stderr that names the running program. Nothing else ends a program that never returns. Time in
/// which kbsim computes, or in which the process is stopped, doesn't count. One limit per process: the latest
/// that lives counts.
class WatchdogLimit {
 public:
  using Seconds = std::chrono::duration<double>;
  /// No limit at 0 s.
  explicit WatchdogLimit(Seconds most);
  ~WatchdogLimit();
  WatchdogLimit(const WatchdogLimit&) = delete;
  WatchdogLimit& operator=(const WatchdogLimit&) = delete;

 private:
  Seconds before_;
};

/// Called with the message before the watchdog ends the process, in its own thread, while the program runs.
/// If several live, the newest is called first; they end in the reverse order of their begins.
class BeforeWatchdogEnds {
 public:
  using Act = std::function<void(const std::string&)>;
  explicit BeforeWatchdogEnds(Act act);
  ~BeforeWatchdogEnds();
  BeforeWatchdogEnds(const BeforeWatchdogEnds&) = delete;
  BeforeWatchdogEnds& operator=(const BeforeWatchdogEnds&) = delete;
};

/// From now on the watchdog's messages go to `say` in place of stderr, for a process that has none.
void say_hangs_to(std::function<void(const std::string&)> say);

}  // namespace kbsim
