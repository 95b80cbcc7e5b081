#include "kbsim/base/wrap.hpp"

#include <algorithm>

namespace kbsim {
namespace {

// Where a line is divided: its last blank that fits after `begin`, but none before '%', else its first one;
// npos if there is none.
std::size_t division_of(std::string_view line, std::size_t begin, std::size_t columns) {
  std::size_t fits = line.rfind(' ', columns);
  if (fits != std::string_view::npos && fits > begin && line.substr(fits).starts_with(" %"))
    fits = line.rfind(' ', fits - 1);
  return fits != std::string_view::npos && fits > begin ? fits : line.find(' ', std::max(begin, columns));
}

std::string wrapped_line(std::string_view rest, std::size_t indent, std::size_t columns) {
  const std::string margin(indent, ' ');
  std::string all;
  std::string line{rest};
  while (line.size() > columns) {
    const std::size_t text = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t at = division_of(line, text, columns);
    const std::size_t next = at == std::string::npos ? at : line.find_first_not_of(' ', at);
    if (next == std::string::npos) break;
    all += line.substr(0, line.find_last_not_of(' ', at) + 1) + '\n';
    line = margin + line.substr(next);
  }
  return all + line;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    all += wrapped_line(text.substr(begin, end - begin), indent, columns);
    if (end < text.size()) all += '\n';
    begin = end + 1;
  }
  return all;
}

}  // namespace kbsim
