#pragma once

#include <string>

namespace kbsim::app {

/// A script for bash that completes kbsim: commands, benches, options, and values that are names or files.
[[nodiscard]] std::string bash_completion();

}  // namespace kbsim::app
