#pragma once

#include <optional>
#include <string>

#include "kbsim/base/field.hpp"

#include "config_tree.hpp"

namespace kbsim::config {

/// The value of a field that isn't a section, component or map, if the tree holds one in its range.
[[nodiscard]] std::optional<Scalar> read_value(const Tree& tree, const Field& field);

/// The value as a message shows it: "'two'", "the text \"4\"", "nothing", "a list", "a map".
[[nodiscard]] std::string found(const Tree& tree);

/// "found 'two', expected an integer from 1 to 64", with the nearest choice if the field has choices.
[[nodiscard]] std::string mismatch(const Tree& tree, const Field& field);

/// Each part of a tree that read_value() refuses: a list's items that aren't choices, or the whole.
[[nodiscard]] Problems mismatches(const Tree& tree, const Field& field, const std::string& path);

}  // namespace kbsim::config
