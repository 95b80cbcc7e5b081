#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbsim::models {

/// Positions of values in a text that is known to be JSON: offsets of their first bytes.
[[nodiscard]] std::size_t json_root(std::string_view text);
/// The last member of that name, the one that parsers keep; the object's own offset if it has none.
[[nodiscard]] std::size_t json_member(std::string_view text, std::size_t object, std::string_view key);
/// The array's own offset if it has no such element.
[[nodiscard]] std::size_t json_element(std::string_view text, std::size_t array, std::size_t index);

/// "12:7", both counted from 1, columns in bytes.
[[nodiscard]] std::string line_and_column(std::string_view text, std::size_t at);

}  // namespace kbsim::models
