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
/// Between separators; "" in quotes is a quote. What lacks its closing quote ends with the line.
[[nodiscard]] std::vector<Cell> cells_of(std::string_view line, char separator = ',');
/// What stands between the cells of a table with this header: a comma, unless semicolons are more, or nothing
/// but tabs is there.
[[nodiscard]] char separator_in(std::string_view header);
/// Between blanks.
[[nodiscard]] std::vector<Cell> words_of(std::string_view line);

/// Calls `each(line, offset)` for the lines of a text, without their ends.
template <class Each>
void for_each_line(std::string_view text, const Each& each) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    each(line, begin);
    begin = end + 1;
  }
}

}  // namespace kbsim::inputs
