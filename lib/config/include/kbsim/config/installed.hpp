#pragma once

#include <string_view>

#include "kbsim/config/load.hpp"

// kbsim::kbsim of an installed kbsim defines it.
#ifndef KBSIM_INSTALLED_CONFIGS
#define KBSIM_INSTALLED_CONFIGS ""
#endif

namespace kbsim::config {

/// The folder of an installed kbsim's topology.yaml and ccl.yaml, for a user's own programs: KBSIM_CONFIGS in
/// the environment, else the folder of the kbsim that the program was built with. UsageError with the folder
/// and the remedy if it has no topology.yaml.
[[nodiscard]] Folders installed_configs(std::string_view of_package = KBSIM_INSTALLED_CONFIGS);

}  // namespace kbsim::config
