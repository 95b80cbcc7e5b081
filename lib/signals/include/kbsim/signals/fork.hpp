#pragma once

#include <sys/types.h>

namespace kbsim {

/// fork(2) of a process that listens to signals, for a child that becomes another program at once. The child
/// has the signal settings that this process began with. -1 if there can't be one more process.
[[nodiscard]] pid_t fork_to_exec();

/// Likewise for a child that goes on as kbsim: it listens to its own signals. Not while other threads of this
/// process run.
[[nodiscard]] pid_t fork_to_go_on();

}  // namespace kbsim
