#pragma once

#include <filesystem>

namespace kbsim {

/// Where the last link of a chain leads, whether that is there or not; a path that is no link, itself. Of a
/// chain without an end, one of its links.
[[nodiscard]] std::filesystem::path end_of_links(std::filesystem::path path);

/// Where what is written to a path will stand, as an absolute path: two names of one file give the same, also
/// before it is there. Where that can't be looked at, the path as it is written.
[[nodiscard]] std::filesystem::path output_place(const std::filesystem::path& path);

}  // namespace kbsim
