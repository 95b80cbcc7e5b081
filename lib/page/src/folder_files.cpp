#include "folder_files.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <system_error>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"

namespace kbsim::page {
namespace {

namespace fs = std::filesystem;

// No run writes a larger file of JSON.
constexpr std::size_t kLargest = std::size_t{256} << 20U;

// Reads at most `most` bytes and one more, so that the caller can see if there are more: a file may exceed
// the memory.
std::string beginning_of(const fs::path& file, std::size_t most) {
  if (const std::string why = why_unreadable(file); !why.empty())
    throw UsageError{fmt::format("{}: {}", file.string(), why)};
  std::error_code error;
  const std::uintmax_t all = fs::file_size(file, error);
  std::string text(error ? most + 1 : static_cast<std::size_t>(std::min<std::uintmax_t>(all, most + 1)),
                   '\0');
  std::ifstream in{file, std::ios::binary};
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

bool FolderFiles::has(const std::string& name) const {
  std::error_code error;
  return fs::is_regular_file(path_ / name, error);
}

std::size_t FolderFiles::size(const std::string& name) const {
  std::error_code error;
  const std::uintmax_t bytes = has(name) ? fs::file_size(path_ / name, error) : 0;
  return error ? 0 : static_cast<std::size_t>(bytes);
}

boost::json::value FolderFiles::json(const std::string& name, std::size_t most) {
  if (!has(name)) return nullptr;
  const fs::path file = path_ / name;
  const std::string text = read_input(file, file.string(), kLargest);
  if (text.size() > most) {
    leave_out(fmt::format("{}, of {} B", name, text.size()));
    return nullptr;
  }
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(text, error, storage());
  if (error || !value.is_object())
    throw UsageError{fmt::format("{}: isn't what a run wrote with --out", file.string())};
  return value;
}

std::optional<std::string> FolderFiles::lines(const std::string& name, std::size_t most) {
  if (!has(name)) return std::nullopt;
  std::string text = beginning_of(path_ / name, most);
  if (text.size() <= most) return text;
  const std::size_t end = text.rfind('\n', most);
  text.resize(end == std::string::npos ? 0 : end + 1);
  leave_out(fmt::format("{} after line {}", name, std::ranges::count(text, '\n')));
  return text;
}

std::vector<std::string> FolderFiles::figures() const {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator{path_, error}) {
    const fs::path& file = entry.path();
    if (file.extension() == ".gp" && has(file.stem().string() + ".csv"))
      names.push_back(file.stem().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace kbsim::page
