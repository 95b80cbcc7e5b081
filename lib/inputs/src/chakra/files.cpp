#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "kbsim/base/input_file.hpp"
#include "kbsim/inputs/chakra/chakra_trace.hpp"

namespace kbsim::inputs::chakra {
namespace {

namespace fs = std::filesystem;

// The digits before ".et".
std::optional<int> rank_in(const fs::path& file) {
  const std::string stem = file.stem().string();
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto last = std::find_if_not(stem.rbegin(), stem.rend(), is_digit);
  const std::string digits{last.base(), stem.end()};
  int rank = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  return digits.empty() || problem != std::errc{} ? std::nullopt : std::optional{rank};
}

}  // namespace

std::vector<fs::path> trace_files(const fs::path& folder) {
  std::error_code error;
  if (fs::is_regular_file(folder, error))
    throw UsageError{fmt::format("{}: is a file, expected the folder of all ranks' traces, as {}",
                                 folder.string(), fs::absolute(folder, error).parent_path().string())};
  if (const std::string why = why_unreadable_folder(folder); !why.empty())
    throw UsageError{
        fmt::format("{}: {}, expected one with NAME.0.et, NAME.1.et, ...", folder.string(), why)};
  error.clear();
  std::map<int, fs::path> by_rank;
  for (const fs::directory_entry& entry : fs::directory_iterator{folder, error}) {
    if (entry.path().extension() != ".et") continue;
    const std::optional<int> rank = rank_in(entry.path());
    if (!rank) throw UsageError{fmt::format("{}: its name has no rank (NAME.0.et)", entry.path().string())};
    const auto [other, is_new] = by_rank.emplace(*rank, entry.path());
    if (!is_new)
      throw UsageError{fmt::format("{} and {} are both rank {}'s; give a folder of one workload",
                                   std::min(other->second, entry.path()).string(),
                                   std::max(other->second, entry.path()).string(), *rank)};
  }
  if (error) throw UsageError{fmt::format("{}: can't be read: {}", folder.string(), error.message())};
  if (by_rank.empty()) throw UsageError{fmt::format("{}: no file NAME.RANK.et in it", folder.string())};
  std::vector<fs::path> files;
  for (const auto& [rank, file] : by_rank) {
    if (rank != static_cast<int>(files.size()))
      throw UsageError{
          fmt::format("{}: rank {} has no file, but rank {} has", folder.string(), files.size(), rank)};
    files.push_back(file);
  }
  return files;
}

}  // namespace kbsim::inputs::chakra
