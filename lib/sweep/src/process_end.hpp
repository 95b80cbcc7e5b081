#pragma once

#include <string>

#include <sys/types.h>

#include "kbsim/base/bytes.hpp"

namespace kbsim::sweep {

/// Of waitpid's status: "its process was ended by SIGSEGV".
[[nodiscard]] std::string end_of_process(int status);

/// Its resident pages.
[[nodiscard]] Bytes memory_of(pid_t process);

/// By SIGKILL. Nothing where there is none: to kill(2) a number below 1 means many.
void kill_process(pid_t process);

}  // namespace kbsim::sweep
