#include "process_end.hpp"

#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kbsim::sweep {

std::string end_of_process(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("its process ended with exit code {}", WEXITSTATUS(status));
  return fmt::format("its process was ended by SIG{}", sigabbrev_np(WTERMSIG(status)));
}

Bytes memory_of(pid_t process) {
  std::ifstream in{fmt::format("/proc/{}/statm", process)};
  std::int64_t all = 0;
  std::int64_t resident = 0;
  in >> all >> resident;
  return Bytes{resident * sysconf(_SC_PAGESIZE)};
}

void kill_process(pid_t process) {
  if (process > 0) (void)kill(process, SIGKILL);
}

}  // namespace kbsim::sweep
