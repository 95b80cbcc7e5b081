#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kbsim::models {

/// Positions of values in a text that is known to be JSON: offsets of their first bytes.
[[nodiscard]] std::size_t json_root(std::string_view text);
/// The object's own offset if it has no such member.
[[nodiscard]] std::size_t json_member(std::string_view text, std::size_t object, std::string_view key);
/// The array's own offset if it has no such element.
[[nodiscard]] std::size_t json_element(std::string_view text, std::size_t array, std::size_t index);

/// A key that an object has twice: the second one's offset.
struct RepeatedKey {
  std::size_t at = 0;
  std::string name;
};
/// The first of all objects, at any depth; parsers keep one of the two values.
[[nodiscard]] std::optional<RepeatedKey> json_repeated_key(std::string_view text);

/// "12:7", both counted from 1, columns in bytes.
[[nodiscard]] std::string line_and_column(std::string_view text, std::size_t at);

}  // namespace kbsim::models
