#pragma once

#include <string>

#include "kbsim/config/overrides.hpp"

#include "config_tree.hpp"

namespace kbsim::config {

/// Puts each "path.to.key=value" into the tree, later ones over earlier ones and over the file. A map as
/// value adds its keys to the existing ones. The reader checks which keys are valid. Problems name each as it
/// was typed, with `prefix` before its path.
void apply_overrides(Tree& root, const Overrides& overrides, Problems& problems,
                     const std::string& prefix = "");

}  // namespace kbsim::config
