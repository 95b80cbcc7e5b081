#pragma once

#include <string>
#include <vector>

#include "kbsim/base/field.hpp"

#include "tree.hpp"

namespace kbsim::config {

/// Takes what overrides gave to keys that the file's first level doesn't have out of its tree.
[[nodiscard]] std::vector<TreeEntry> take_strays(Tree& root, const std::vector<Field>& fields);

/// A problem each; of a key without its path it names those of `whole` that end so.
[[nodiscard]] Problems stray_problems(const std::vector<TreeEntry>& strays, const std::vector<Field>& fields,
                                      const std::vector<std::string>& whole);

}  // namespace kbsim::config
