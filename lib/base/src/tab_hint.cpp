#include "kbsim/base/tab_hint.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace kbsim {
namespace {

bool begins_with_a_tab(std::string_view line) {
  return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

}  // namespace

std::string tab_hint(std::string_view text, int line) {
  for (int at = 1; at <= line && !text.empty(); ++at) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (at >= line - 1 && begins_with_a_tab(text.substr(0, end)))
      return fmt::format("; line {} is indented with a tab, YAML takes spaces", at);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

}  // namespace kbsim
