#include "config_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/names.hpp"

#include "config_tree.hpp"

namespace kbsim::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFile = std::size_t{1} << 20;

std::vector<fs::path> candidates(const fs::path& file, const Folders& folders) {
  std::vector<fs::path> all{file};
  if (file.has_parent_path()) return all;
  for (const fs::path& folder : folders) all.push_back(folder / file);
  return all;
}

// Alternatives for a misspelt name: other files with its extension.
std::vector<std::string> neighbours(const fs::path& file, const Folders& folders) {
  std::vector<std::string> names;
  for (const fs::path& candidate : candidates(file, folders)) {
    std::error_code ignored;
    const fs::path folder = fs::absolute(candidate, ignored).parent_path();
    for (fs::directory_iterator at{folder, ignored}, end; !ignored && at != end; at.increment(ignored)) {
      const fs::path name = at->path().filename();
      if (name.extension() == file.extension()) names.push_back(name.string());
    }
  }
  std::ranges::sort(names);
  return names;
}

std::string looked_for(const fs::path& file, const Folders& folders) {
  std::vector<std::string> places;
  for (const fs::path& candidate : candidates(file, folders)) {
    std::error_code ignored;
    const fs::path absolute = fs::absolute(candidate, ignored);
    places.push_back(absolute.parent_path().string());
  }
  const std::string nearest = nearest_name(file.filename().string(), neighbours(file, folders));
  return fmt::format("no such file; looked for in {}{}", fmt::join(places, " and "),
                     nearest.empty() ? "" : fmt::format("; did you mean '{}'?", printable(nearest)));
}

/// Reads the beginning of `in`, which may be a pipe: at least `enough` bytes, fewer only at its end.
std::string read_up_to(std::size_t enough, std::istream& in) {
  std::string text;
  std::array<char, 16384> chunk;
  do {
    in.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
  } while (in && text.size() < enough);
  return text;
}

}  // namespace

std::string read_file(const fs::path& file, const Folders& folders) {
  const auto fail = [&file](const std::string& text) {
    return ConfigError{{.file = file.empty() ? "''" : file.string()}, "", text};
  };
  for (const fs::path& candidate : candidates(file, folders)) {
    std::error_code error;
    if (!fs::exists(candidate, error) && !error) continue;
    if (const std::string why = why_unreadable(candidate); !why.empty()) throw fail(why);
    std::ifstream in{candidate, std::ios::binary};
    std::string text = read_up_to(kMaxFile + 1, in);
    if (in.bad() || (in.fail() && !in.eof())) throw fail("can't be read");
    return text;
  }
  throw fail(looked_for(file, folders));
}

}  // namespace kbsim::config
