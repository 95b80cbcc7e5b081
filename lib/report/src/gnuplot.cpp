#include "kbsim/report/gnuplot.hpp"

#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"

namespace kbsim::report {

bool draw(const std::filesystem::path& script) {
  constexpr int kNoProgram = 127;
  const std::string folder = script.parent_path().string();
  const std::string name = script.filename().string();
  const pid_t child = fork();
  if (child < 0) throw UsageError{"can't start gnuplot for '" + script.string() + "'"};
  if (child == 0) {
    (void)setpgid(0, 0);  // Ctrl-C is for us: what is being drawn is drawn to its end
    if (folder.empty() || chdir(folder.c_str()) == 0)
      (void)execlp("gnuplot", "gnuplot", name.c_str(), nullptr);
    _exit(kNoProgram);
  }
  int status = 0;
  if (waitpid(child, &status, 0) == child && WIFEXITED(status)) {
    if (WEXITSTATUS(status) == 0) return true;
    if (WEXITSTATUS(status) == kNoProgram) return false;
  }
  throw UsageError{"gnuplot failed on '" + script.string() + "'"};
}

}  // namespace kbsim::report
