#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbsim {

/// The candidate that `typed` most likely meant, or "" if none is near (Damerau-Levenshtein distance of
/// at most a third of its length, at least 1).
[[nodiscard]] std::string nearest_name(std::string_view typed, const std::vector<std::string>& candidates);

/// "; did you mean 'NAME'?" with the nearest, for a text that already has all candidates; "" with none near,
/// or if `typed` is one of them.
[[nodiscard]] std::string near_hint(std::string_view typed, const std::vector<std::string>& candidates);

/// ", did you mean 'NAME'?" with the names that begin with `typed` (the first few of many), or else with the
/// nearest; with none near, " (known: A, B, C)".
[[nodiscard]] std::string name_hint(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace kbsim
