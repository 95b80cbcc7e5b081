#pragma once

#include <filesystem>

namespace kbsim::report {

/// Runs a gnuplot script in its own folder. False if gnuplot isn't installed. UsageError naming the script if
/// it fails. An incomplete picture, as on a full disk, is removed, and the error names it.
[[nodiscard]] bool draw(const std::filesystem::path& script);

}  // namespace kbsim::report
