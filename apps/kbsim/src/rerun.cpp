#include "rerun.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/signals/fork.hpp"
#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/signals/stoppable_waits.hpp"

#include "run_words.hpp"

namespace kbsim::app {
namespace {

constexpr int kNoProgram = 127;
constexpr int kSignals = 128;

// Options that name the machine, and the place of the results.
constexpr std::array<std::string_view, 3> kGivenAnew{"--topology", "--ccl", "--out"};
constexpr std::array<std::string_view, 1> kSettings{"--set"};
constexpr std::array<std::string_view, 2> kSwitches{"--json", "--quiet"};

bool is_among(const auto& options, std::string_view name) {
  return std::ranges::find(options, name) != options.end();
}

// Removes options of these names, which take a value, and switches.
Arguments without(const Arguments& words, const auto& valued) {
  Arguments others;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    const std::string name = words[i].substr(0, equals);
    if (is_among(kSwitches, name)) continue;
    if (!is_among(valued, name))
      others.push_back(words[i]);
    else if (equals == std::string::npos)
      ++i;  // its value
  }
  return others;
}

// Arguments of execv, made before the fork: a child may not allocate memory.
class Words {
 public:
  explicit Words(Arguments arguments) : arguments_{std::move(arguments)} {
    words_.push_back(name_.data());
    for (std::string& word : arguments_) words_.push_back(word.data());
    words_.push_back(nullptr);
  }
  [[nodiscard]] char* const* data() const { return words_.data(); }

 private:
  std::string name_ = "kbsim";
  Arguments arguments_;
  std::vector<char*> words_;
};

// The child ends with its parent, however the parent ends.
[[noreturn]] void become(const Words& words, pid_t parent) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) (void)dup2(nowhere, STDOUT_FILENO);
  (void)unsetenv("MILESTONE_FAST");  // it would look at earlier results in place of running
  (void)execv("/proc/self/exe", words.data());
  _exit(kNoProgram);
}

}  // namespace

Arguments repeated(const Arguments& recorded, const std::filesystem::path& machine,
                   const std::filesystem::path& out) {
  Arguments words{recorded.begin() + 1, recorded.end()};
  if (is_command(recorded, run_bench)) words = with_outputs_in(words, out.string());
  words = without(words, kGivenAnew);
  if (!is_command(recorded, fit)) words = without(words, kSettings);  // its --set holds what would be fitted
  words.insert(words.begin(), recorded.front());
  words.insert(words.end(), {"--topology", machine.string(), "--out", out.string(), "--quiet"});
  return words;
}

int run_again(const Arguments& arguments) {
  const StopSignals signals;
  const Stage stage{"runs", 1};
  const Words words{arguments};
  const pid_t parent = getpid();
  const pid_t child = fork_to_exec();
  if (child < 0) throw UsageError{"can't start kbsim again"};
  if (child == 0) become(words, parent);
  const int status = await_child(child, StopOfChild::passed_on);
  if (stop_signal() != 0) throw Interrupted{"interrupted: the run again hasn't ended"};
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignals + WTERMSIG(status);
}

}  // namespace kbsim::app
