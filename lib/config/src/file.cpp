#include "file.hpp"

#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"

namespace kbsim::config {
namespace {

namespace fs = std::filesystem;

constexpr std::streamsize kMaxFile = std::streamsize{1} << 20;

std::vector<fs::path> candidates(const fs::path& file, const Folders& folders) {
  std::vector<fs::path> all{file};
  if (file.has_parent_path()) return all;
  for (const fs::path& folder : folders) all.push_back(folder / file);
  return all;
}

std::string looked_for(const fs::path& file, const Folders& folders) {
  std::vector<std::string> places;
  for (const fs::path& candidate : candidates(file, folders)) {
    std::error_code ignored;
    const fs::path absolute = fs::absolute(candidate, ignored);
    places.push_back(absolute.parent_path().string());
  }
  return fmt::format("no such file; looked for in {}", fmt::join(places, " and "));
}

}  // namespace

std::string read_file(const fs::path& file, const Folders& folders) {
  const auto fail = [&file](const std::string& text) {
    return ConfigError{{.file = file.empty() ? "''" : file.string()}, "", text};
  };
  for (const fs::path& candidate : candidates(file, folders)) {
    std::error_code error;
    if (!fs::exists(candidate, error)) continue;
    if (fs::is_directory(candidate, error)) throw fail("is a folder, expected a file");
    std::ifstream in{candidate, std::ios::binary};
    std::string text(static_cast<std::size_t>(kMaxFile) + 1, '\0');
    in.read(text.data(), kMaxFile + 1);
    if (in.bad() || (in.fail() && !in.eof())) throw fail("can't be read");
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
  }
  throw fail(looked_for(file, folders));
}

}  // namespace kbsim::config
