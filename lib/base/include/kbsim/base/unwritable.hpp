#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace kbsim {

/// Why a file or folder that a user names can't be written, and what helps: "No such file or directory; make
/// the folder 'runs' first". The system's reason alone where nothing is known to help.
[[nodiscard]] std::string why_unwritable(const std::filesystem::path& path, const std::error_code& error);

}  // namespace kbsim
