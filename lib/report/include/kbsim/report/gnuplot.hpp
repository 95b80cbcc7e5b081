#pragma once

#include <filesystem>

namespace kbsim::report {

/// Runs a gnuplot script in its own folder. False if gnuplot isn't installed; UsageError naming the script
/// if it fails; a picture that is cut, as on a full disk, is taken away and named.
[[nodiscard]] bool draw(const std::filesystem::path& script);

}  // namespace kbsim::report
