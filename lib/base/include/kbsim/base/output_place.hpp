#pragma once

#include <filesystem>

namespace kbsim {

/// The end of a chain of links, whether it is there or not; a path that is no link, itself. For a chain
/// without an end, one of its links.
[[nodiscard]] std::filesystem::path end_of_links(std::filesystem::path path);

/// The place of a file that is written to a path, as an absolute path. Two names of one file give the same
/// place, also before the file is there. If the place can't be looked at, the path as it is written.
[[nodiscard]] std::filesystem::path output_place(const std::filesystem::path& path);

}  // namespace kbsim
