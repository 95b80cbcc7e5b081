#include "kbsim/report/gnuplot.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/signals/fork.hpp"
#include "kbsim/signals/stoppable_waits.hpp"

namespace kbsim::report {
namespace {

namespace fs = std::filesystem;

struct Ending {
  const char* suffix;
  std::string_view text;
};
constexpr std::array<Ending, 2> kEndings{{{".png", "IEND"}, {".svg", "</svg>"}}};

bool ends_with(const fs::path& file, std::string_view text) {
  constexpr std::streamoff kLast = 16;
  std::ifstream in{file, std::ios::binary | std::ios::ate};
  const std::streamoff size = in.tellg();
  if (size < kLast || !in.seekg(size - kLast)) return false;
  const std::string last{std::istreambuf_iterator<char>{in}, {}};
  return last.find(text) != std::string::npos;
}

// gnuplot doesn't report a full disk.
void require_whole(fs::path picture) {
  std::string cut;
  for (const auto& [suffix, text] : kEndings) {
    picture.replace_extension(suffix);
    std::error_code error;
    if (!fs::exists(picture, error) || ends_with(picture, text)) continue;
    fs::remove(picture, error);
    cut = picture.string();
  }
  if (!cut.empty())
    throw UsageError{"can't write '" + cut +
                     "': gnuplot left half of it, as on a full disk; it is taken away"};
}

}  // namespace

bool draw(const std::filesystem::path& script) {
  constexpr int kNoProgram = 127;
  const std::string folder = script.parent_path().string();
  const std::string name = script.filename().string();
  const pid_t child = fork_to_exec();
  if (child < 0) throw UsageError{"can't start gnuplot for '" + script.string() + "'"};
  if (child == 0) {
    (void)setpgid(0, 0);  // Ctrl-C is for kbsim: the current drawing is completed
    if (folder.empty() || chdir(folder.c_str()) == 0)
      (void)execlp("gnuplot", "gnuplot", name.c_str(), nullptr);
    _exit(kNoProgram);
  }
  const int status = await_child(child, StopOfChild::none);
  if (WIFEXITED(status)) {
    if (WEXITSTATUS(status) == 0) {
      require_whole(script);
      return true;
    }
    if (WEXITSTATUS(status) == kNoProgram) return false;
  }
  throw UsageError{"gnuplot failed on '" + script.string() + "'"};
}

}  // namespace kbsim::report
