#pragma once

#include <string>
#include <vector>

#include "config_tree.hpp"

namespace kbsim::config {

/// Puts each "path.to.key=value" into the tree, later ones over earlier ones and over the file. A map as
/// value adds its keys to the existing ones. The reader checks which keys are valid. Problems name each as it
/// was typed, with `prefix` before its path.
void apply_overrides(Tree& root, const std::vector<std::string>& overrides, Problems& problems,
                     const std::string& prefix = "");

}  // namespace kbsim::config
