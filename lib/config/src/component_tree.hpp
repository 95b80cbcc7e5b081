#pragma once

#include <string>

#include "config_tree.hpp"

namespace kbsim::config {

/// A component's section taken apart. Attributes may stand beside `impl` or under `attrs`.
struct ComponentTree {
  const TreeEntry* impl = nullptr;
  const TreeEntry* kind = nullptr;
  Tree attributes;  // both forms as one map
};

/// An attribute given in both forms is a problem, unless one of them is a later override.
[[nodiscard]] ComponentTree split_component(const Tree& tree, const std::string& path, Problems& problems);

}  // namespace kbsim::config
