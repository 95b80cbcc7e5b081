#pragma once

#include "kbsim/config/load.hpp"

namespace kbsim::app {

/// Folders that configs are searched in after the current one: share/kbsim/configs beside the command's
/// folder. In a build tree this is a link to the source tree's folder.
[[nodiscard]] config::Folders config_folders();

}  // namespace kbsim::app
