#pragma once

#include <string>

#include <sys/types.h>

#include "kbsim/base/bytes.hpp"

namespace kbsim::sweep {

/// Text for waitpid's status: "its process was ended by SIGSEGV".
[[nodiscard]] std::string end_of_process(int status);

/// Resident memory of a process.
[[nodiscard]] Bytes memory_of(pid_t process);

/// Sends SIGKILL. Ignores numbers below 1, which mean several processes to kill(2).
void kill_process(pid_t process);

}  // namespace kbsim::sweep
