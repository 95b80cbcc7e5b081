#include "kbsim/base/names.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kbsim {
namespace {

// Damerau-Levenshtein distance (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

// Longer names that begin with `typed`: for `ring_allreduce` the variants `ring_allreduce_hbm` and `_tcm`.
std::vector<std::string> longer_names(std::string_view typed, const std::vector<std::string>& candidates) {
  constexpr std::size_t kShortest = 3;  // a shorter beginning matches too much
  std::vector<std::string> longer;
  if (typed.size() < kShortest) return longer;
  for (const std::string& candidate : candidates) {
    if (candidate.starts_with(typed)) longer.push_back(candidate);
  }
  return longer;
}

// The first few by name.
std::string hint_at(const std::vector<std::string>& longer) {
  constexpr std::size_t kFew = 4;
  const std::string first = fmt::format("{}", fmt::join(longer | std::views::take(kFew), "' or '"));
  if (longer.size() <= kFew) return fmt::format(", did you mean '{}'?", first);
  return fmt::format(", did you mean '{}' or another of the {} that begin so?", first, longer.size());
}

}  // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(typed, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string near_hint(std::string_view typed, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(typed, candidates);
  return nearest.empty() || nearest == typed ? "" : fmt::format("; did you mean '{}'?", nearest);
}

std::string name_hint(std::string_view typed, const std::vector<std::string>& candidates) {
  if (const auto longer = longer_names(typed, candidates); !longer.empty()) return hint_at(longer);
  const std::string nearest = nearest_name(typed, candidates);
  if (!nearest.empty()) return fmt::format(", did you mean '{}'?", nearest);
  return fmt::format(" (known: {})", fmt::join(candidates, ", "));
}

}  // namespace kbsim
