#include "rerun.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"

#include "bench_options.hpp"

namespace kbsim::app {
namespace {

constexpr int kNoProgram = 127;
constexpr int kSignals = 128;

// What said which machine, and where results go.
constexpr std::array<std::string_view, 4> kValued{"--topology", "--ccl", "--set", "--out"};
constexpr std::array<std::string_view, 2> kSwitches{"--json", "--quiet"};

bool is_among(const auto& options, std::string_view name) {
  return std::ranges::find(options, name) != options.end();
}

// A file that an option of the bench names.
bool is_output(const OptionSet& own, std::string_view name) {
  return std::ranges::any_of(own.options, [&](const Option& option) {
    return !option.shapes_rows && (name == "--" + option.long_name() || name == "-" + option.brief);
  });
}

// Such an option and its file in one word.
bool is_output_word(const OptionSet& own, const std::string& word) {
  return word.size() > 2 && word[1] != '-' && is_output(own, std::string_view{word}.substr(0, 2));
}

[[noreturn]] void become(const Arguments& arguments) {
  std::vector<char*> words;
  std::string name = "kbsim";
  words.push_back(name.data());
  Arguments copies = arguments;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) (void)dup2(nowhere, STDOUT_FILENO);
  (void)unsetenv("MILESTONE_FAST");  // it would look at earlier results in place of running
  (void)execv("/proc/self/exe", words.data());
  _exit(kNoProgram);
}

}  // namespace

Arguments repeated(const Arguments& recorded, const std::filesystem::path& machine,
                   const std::filesystem::path& out) {
  Arguments words{recorded.front()};
  const OptionSet own = options_of_bench(bench_named(recorded));
  const bool is_fit = is_command(recorded, fit);
  for (std::size_t i = 1; i < recorded.size(); ++i) {
    const std::string& word = recorded[i];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const bool is_log = name == "--oplog";
    if (is_among(kSwitches, name)) continue;
    const bool stays = is_fit && name == "--set";  // it holds what would be fitted
    if (is_output_word(own, word)) continue;
    if (stays || (!is_log && !is_among(kValued, name) && !is_output(own, name))) {
      words.push_back(word);
      continue;
    }
    if (equals == std::string::npos) ++i;  // its value
    if (is_log) words.insert(words.end(), {"--oplog", (out / "run.oplog").string()});
  }
  words.insert(words.end(), {"--topology", machine.string(), "--out", out.string(), "--quiet"});
  return words;
}

int run_again(const Arguments& arguments) {
  const StopSignals signals;
  const Stage stage{"runs", 1};
  const pid_t child = fork();
  if (child < 0) throw UsageError{"can't start kbsim again"};
  if (child == 0) become(arguments);
  int status = 0;
  for (bool passed_on = false; waitpid(child, &status, WNOHANG) == 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
    if (passed_on || stop_signal() == 0) continue;
    (void)kill(child, stop_signal());
    passed_on = true;
  }
  if (stop_signal() != 0) throw Interrupted{"interrupted: the run again hasn't ended"};
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignals + WTERMSIG(status);
}

}  // namespace kbsim::app
