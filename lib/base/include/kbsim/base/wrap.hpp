#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbsim {

/// Columns of a terminal that every text fits, as far as its words let it.
inline constexpr std::size_t kColumns = 80;

/// The text with line ends in place of blanks, so that lines have at most `columns` columns. Lines after the
/// first of each given line begin with `indent` blanks. A longer word, a number with its '%', and several
/// blanks together stay as they are.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns = kColumns);

}  // namespace kbsim
