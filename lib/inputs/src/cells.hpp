#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbsim::inputs {

/// A cell of a line of CSV, without quotes and spaces around it, and where it begins in the line.
struct Cell {
  std::string text;
  std::size_t at = 0;
};

[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);
/// Digits alone, at least one.
[[nodiscard]] bool is_digits(std::string_view text);
/// Cells between separators; "" in quotes is a quote. A cell without its closing quote ends with the line.
[[nodiscard]] std::vector<Cell> cells_of(std::string_view line, char separator = ',');
/// The separator of a table with this header: a comma, a semicolon if there are more of those, or a tab if
/// there are only tabs.
[[nodiscard]] char separator_in(std::string_view header);
/// Words between blanks.
[[nodiscard]] std::vector<Cell> words_of(std::string_view line);

/// Blanks of Unicode (no-break spaces, widths, byte order marks within) as spaces, a space for each byte.
[[nodiscard]] std::string with_plain_blanks(std::string text);

/// Calls `each(line, offset)` for the lines of a text, without their ends: a line feed, a carriage return, or
/// both.
template <class Each>
void for_each_line(std::string_view text, const Each& each) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    each(text.substr(begin, end - begin), begin);
    begin = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
  }
}

}  // namespace kbsim::inputs
