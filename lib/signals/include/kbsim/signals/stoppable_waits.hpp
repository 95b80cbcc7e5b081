#pragma once

#include <chrono>

#include <sys/types.h>

namespace kbsim {

/// Waits for that long; false as soon as a signal asks for the end (StopSignals).
[[nodiscard]] bool pause_for(std::chrono::milliseconds time);

/// The effect on a child of a signal that asks this process for the end.
enum class StopOfChild { none, passed_on };

/// Waits until a child of this process has ended; gives waitpid's status. UsageError if there is none, as
/// where SIGCHLD is ignored.
[[nodiscard]] int await_child(pid_t child, StopOfChild stop);

}  // namespace kbsim
