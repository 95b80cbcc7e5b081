// Why points have no numbers.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/sweep/analysis.hpp"

namespace kbsim::sweep {
namespace {

struct Failure {
  int exit = 0;
  std::string message;
  const Row* first = nullptr;
  std::size_t points = 0;
};

// Groups equal failures, in the order of their first points.
std::vector<Failure> failures_in(const Tables& tables) {
  std::map<std::pair<int, std::string>, std::size_t> places;
  std::vector<Failure> all;
  for (const Row& row : tables.rows) {
    if (row.record == nullptr || row.record->exit == 0) continue;
    const auto [at, is_new] = places.emplace(std::pair{row.record->exit, row.record->message}, all.size());
    if (is_new) all.push_back({.exit = row.record->exit, .message = row.record->message, .first = &row});
    ++all[at->second].points;
  }
  return all;
}

}  // namespace

std::string failures_text(const Tables& tables) {
  constexpr std::size_t kShown = 5;
  const std::vector<Failure> all = failures_in(tables);
  std::size_t failed = 0;
  for (const Failure& each : all) failed += each.points;
  std::string text = fmt::format("no point has a number: {} of {} failed\n", failed, tables.rows.size());
  for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i)
    text += fmt::format("  {} with exit code {}: {}\n    {}\n", all[i].points, all[i].exit, all[i].message,
                        all[i].first->command);
  if (all.size() > kShown)
    text += fmt::format("  and {}: see points.csv\n", counted(all.size() - kShown, "other reason"));
  return text;
}

}  // namespace kbsim::sweep
