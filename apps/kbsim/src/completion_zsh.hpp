#pragma once

#include <string>

namespace kbsim::app {

/// A script for zsh that completes kbsim: commands, benches, options, and values that are names or files.
[[nodiscard]] std::string zsh_completion();

}  // namespace kbsim::app
