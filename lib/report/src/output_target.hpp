#pragma once

#include <filesystem>
#include <optional>
#include <system_error>

#include <sys/stat.h>

namespace kbsim::report {

/// The destination of an output, given its path.
struct OutputTarget {
  std::filesystem::path file;         // after all symlinks at the path's end
  std::optional<int> descriptor;      // one of this process: of /dev/stdout, /dev/fd/N, /proc/self/fd/N
  std::optional<struct stat> before;  // the current file at `file`

  /// If there is nothing yet, or a regular file, it can be replaced as a whole. Anything else (a device, a
  /// FIFO, an open descriptor) is written in place and must stay.
  [[nodiscard]] bool is_replaceable() const { return !descriptor && (!before || S_ISREG(before->st_mode)); }
};

/// Follows symlinks; the last one may point to a missing file.
[[nodiscard]] OutputTarget output_target(std::filesystem::path path, std::error_code& error);

/// The reason why it isn't writable, as far as is known without opening it.
[[nodiscard]] std::error_code why_not_writable(const OutputTarget& target);

}  // namespace kbsim::report
