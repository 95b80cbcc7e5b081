#pragma once

#include <array>
#include <csignal>
#include <string>

#include "kbsim/base/error.hpp"

namespace kbsim {

/// While one lives, SIGINT, SIGTERM and SIGHUP ask the work of this process to end in an orderly way, and
/// nothing ends at once but by a second Ctrl-C. Whoever works for long asks stop_signal() now and then.
/// They nest: the outermost counts. A SIGHUP that is ignored (nohup) stays ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  std::array<struct sigaction, 3> before_{};
};

/// The first of these signals since the outermost StopSignals began; 0 if none came, or if none lives.
[[nodiscard]] int stop_signal() noexcept;
/// The same when that has ended.
[[nodiscard]] int last_stop_signal() noexcept;

/// What the command ends with: 128 + the signal that has asked for the end, unless something else was wrong.
[[nodiscard]] int exit_status(ExitCode exit) noexcept;

/// Work that was given up because a signal asked for the end. The command's exit code is 128 + that signal.
class Interrupted : public Error {
 public:
  explicit Interrupted(const std::string& text) : Error{ExitCode::interrupted, text} {}
};

}  // namespace kbsim
