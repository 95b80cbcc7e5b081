#pragma once

#include <string>
#include <string_view>

namespace kbsim {

/// The text as UTF-8: each byte that is part of no character is written as "\xff". Valid text stays as it is.
[[nodiscard]] std::string as_utf8(std::string_view text);

/// JSON text as UTF-8: such a byte within a string reads "\xff" after parsing.
[[nodiscard]] std::string json_as_utf8(std::string_view json);

/// JSON text that can stand in a <script> element: no '<' that ends it or begins a comment, and no line ends
/// of JavaScript (U+2028, U+2029). It parses as before.
[[nodiscard]] std::string json_in_script(std::string_view json);

/// Text within an element or between double quotes of an attribute of HTML or SVG. Control
/// characters, which XML has no notation for, are written as such bytes.
[[nodiscard]] std::string in_markup(std::string_view text);

}  // namespace kbsim
