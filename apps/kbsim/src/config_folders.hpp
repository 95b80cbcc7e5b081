#pragma once

#include "kbsim/config/load.hpp"

namespace kbsim::app {

/// Where configs are looked for after the current folder: share/kbsim/configs beside the folder of the
/// command; where it is built, that is a link to the source tree's.
[[nodiscard]] config::Folders config_folders();

}  // namespace kbsim::app
