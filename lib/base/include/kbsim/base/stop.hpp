#pragma once

#include <cstdint>
#include <string>

#include "kbsim/base/error.hpp"

namespace kbsim {

/// While one lives, this process can be asked to end its work in an orderly way. They nest: the outermost
/// counts. Work that takes long asks stop_signal() now and then.
class Stoppable {
 public:
  Stoppable();
  ~Stoppable();
  Stoppable(const Stoppable&) = delete;
  Stoppable& operator=(const Stoppable&) = delete;

  /// The number of the outermost one that lives, among all of this process; 0 if none lives.
  [[nodiscard]] static std::uint64_t outermost() noexcept;
};

/// Asks for the end, for the reason `signal`. The first call counts. Any thread may call it.
void ask_to_stop(int signal) noexcept;

/// The first signal that asked since the outermost Stoppable began; 0 if none did, or if none lives.
[[nodiscard]] int stop_signal() noexcept;
/// The same, also after the outermost Stoppable has ended.
[[nodiscard]] int last_stop_signal() noexcept;

/// The command's exit code: 128 + the signal that has asked for the end, unless another error was found.
[[nodiscard]] int exit_status(ExitCode exit) noexcept;

/// Work that was given up because a signal asked for the end. The command's exit code is 128 + that signal.
class Interrupted : public Error {
 public:
  explicit Interrupted(const std::string& text) : Error{ExitCode::interrupted, text} {}
};

}  // namespace kbsim
