#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbsim {

/// The candidate that `typed` most likely meant: one that begins with it, else one a single edit away, else
/// one with all its words in their order, else a misspelling (Damerau-Levenshtein distance of at most a third
/// of its length, at least 1; words in common weigh more). Case and the signs between words don't count.
/// "" if none is near.
[[nodiscard]] std::string nearest_name(std::string_view typed, const std::vector<std::string>& candidates);

/// "; did you mean 'NAME'?" with the nearest, for a text that already has all candidates; "" with none near,
/// or if `typed` is one of them.
[[nodiscard]] std::string near_hint(std::string_view typed, const std::vector<std::string>& candidates);
[[nodiscard]] std::string near_hint(std::string_view typed, std::span<const std::string_view> candidates);

/// ", did you mean 'NAME'?" with all names that begin with `typed` or have its words (the first few of many),
/// or with the nearest; with none near, " (known: A, B, C)".
[[nodiscard]] std::string name_hint(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace kbsim
