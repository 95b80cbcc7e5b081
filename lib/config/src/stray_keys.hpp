#pragma once

#include <string>
#include <vector>

#include "kbsim/base/field.hpp"

#include "config_tree.hpp"

namespace kbsim::config {

/// Removes from the tree the entries of overrides whose keys the file's first level doesn't have, and returns
/// them.
[[nodiscard]] std::vector<TreeEntry> take_strays(Tree& root, const std::vector<Field>& fields);

/// A problem for each. For a key without its path it names the keys of `whole` with this end.
[[nodiscard]] Problems stray_problems(const std::vector<TreeEntry>& strays, const std::vector<Field>& fields,
                                      const std::vector<std::string>& whole);

}  // namespace kbsim::config
