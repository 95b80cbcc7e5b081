#include "kbsim/base/names.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kbsim {
namespace {

using Names = std::vector<std::string>;

bool divides(char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }

// Small letters, with one sign between words: '-', '_' and '.' are alike.
std::string plain(std::string_view name) {
  std::string all{name};
  std::ranges::transform(all, all.begin(), [](char c) {
    return divides(c) ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return all;
}

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

std::size_t distance(std::string_view typed, std::string_view candidate) {
  return edit_distance(plain(typed), plain(candidate));
}

Names words_of(std::string_view name) {
  Names words;
  bool inside = false;
  for (const char c : plain(name)) {
    if (!divides(c) && !inside) words.emplace_back();
    inside = !divides(c);
    if (inside) words.back() += c;
  }
  return words;
}

// Longer names that begin with `typed`: for `ring_allreduce` the variants `ring_allreduce_hbm` and `_tcm`.
Names longer_names(std::string_view typed, const Names& candidates) {
  constexpr std::size_t kShortest = 3;  // a shorter beginning matches too much
  Names longer;
  if (typed.size() < kShortest) return longer;
  std::ranges::copy_if(candidates, std::back_inserter(longer),
                       [&, begin = plain(typed)](const std::string& candidate) {
                         return plain(candidate).starts_with(begin);
                       });
  return longer;
}

// The same word, or a long one that differs by an edit.
bool is_alike(std::string_view typed, std::string_view word) {
  constexpr std::size_t kLong = 5;
  return typed == word || (typed.size() >= kLong && edit_distance(typed, word) <= 1);
}

// Names with all words of `typed`, in its order: for `pe-hbm` `pe-local-hbm` and `pe-far-cube-hbm`.
Names names_with_words_of(std::string_view typed, const Names& candidates) {
  constexpr std::size_t kShortest = 3;  // a shorter word alone is in too many names
  const Names words = words_of(typed);
  Names found;
  if (words.empty() || (words.size() == 1 && words.front().size() < kShortest)) return found;
  std::ranges::copy_if(candidates, std::back_inserter(found), [&](const std::string& candidate) {
    auto next = words.begin();
    for (const std::string& word : words_of(candidate))
      if (next != words.end() && is_alike(*next, word)) ++next;
    return next == words.end();
  });
  return found;
}

// The nearest by the number of edits; the first of equal ones.
std::string fewest_edits(std::string_view typed, const Names& candidates) {
  const auto found =
      std::ranges::min_element(candidates, {}, [&](const std::string& one) { return distance(typed, one); });
  return found == candidates.end() ? "" : *found;
}

std::size_t shared_words(const Names& words, std::string_view candidate) {
  const Names others = words_of(candidate);
  return static_cast<std::size_t>(std::ranges::count_if(
      words, [&](const std::string& word) { return std::ranges::find(others, word) != others.end(); }));
}

// Less is nearer: each whole word in common makes up for two edits. None beyond a third of the letters.
std::optional<std::ptrdiff_t> edits_less_words(std::string_view typed, std::string_view candidate) {
  const std::size_t edits = distance(typed, candidate);
  if (edits > std::max<std::size_t>(1, typed.size() / 3)) return std::nullopt;
  return static_cast<std::ptrdiff_t>(edits) -
         2 * static_cast<std::ptrdiff_t>(shared_words(words_of(typed), candidate));
}

std::string misspelt_name(std::string_view typed, const Names& candidates) {
  std::string best;
  std::optional<std::ptrdiff_t> least;
  for (const std::string& candidate : candidates) {
    const std::optional<std::ptrdiff_t> cost = edits_less_words(typed, candidate);
    if (!cost || (least && *cost >= *least)) continue;
    least = cost;
    best = candidate;
  }
  return best;
}

// The names that a hint is about, by the first rule that finds any.
struct Near {
  Names names = {};
  const char* alike = "";  // what they have in common, if there may be several
};

Near near_names(std::string_view typed, const Names& candidates) {
  if (Names longer = longer_names(typed, candidates); !longer.empty()) return {std::move(longer), "begin so"};
  std::string misspelt = misspelt_name(typed, candidates);
  if (!misspelt.empty() && distance(typed, misspelt) <= 1) return {{std::move(misspelt)}};
  if (Names with = names_with_words_of(typed, candidates); !with.empty())
    return {std::move(with), "have these words"};
  return misspelt.empty() ? Near{} : Near{{std::move(misspelt)}};
}

// The first few by name.
std::string hint_at(const Near& near) {
  constexpr std::size_t kFew = 4;
  const std::string first = fmt::format("{}", fmt::join(near.names | std::views::take(kFew), "' or '"));
  if (near.names.size() <= kFew) return fmt::format(", did you mean '{}'?", first);
  return fmt::format(", did you mean '{}' or another of the {} that {}?", first, near.names.size(),
                     near.alike);
}

}  // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& candidates) {
  if (std::ranges::find(candidates, typed) != candidates.end()) return std::string{typed};
  return fewest_edits(typed, near_names(typed, candidates).names);
}

std::string near_hint(std::string_view typed, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(typed, candidates);
  return nearest.empty() || nearest == typed ? "" : fmt::format("; did you mean '{}'?", nearest);
}

std::string near_hint(std::string_view typed, std::span<const std::string_view> candidates) {
  return near_hint(typed, std::vector<std::string>{candidates.begin(), candidates.end()});
}

std::string name_hint(std::string_view typed, const std::vector<std::string>& candidates) {
  const Near near = near_names(typed, candidates);
  return near.names.empty() ? fmt::format(" (known: {})", fmt::join(candidates, ", ")) : hint_at(near);
}

}  // namespace kbsim
