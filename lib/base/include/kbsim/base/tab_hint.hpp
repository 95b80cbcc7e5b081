#pragma once

#include <string>
#include <string_view>

namespace kbsim {

/// "; line 7 is indented with a tab, YAML takes spaces", if that line of the text, from 1 on, or the one
/// before it is; else "". For errors of a parser that doesn't name the tab.
[[nodiscard]] std::string tab_hint(std::string_view text, int line);

}  // namespace kbsim
