#pragma once

#include <filesystem>
#include <string>

#include "kbsim/config/load.hpp"

namespace kbsim::config {

/// The content of a file, looked for as named and then, if the name has no folder, in `folders`.
/// Throws ConfigError saying where it was looked for, or why it couldn't be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& file, const Folders& folders);

}  // namespace kbsim::config
