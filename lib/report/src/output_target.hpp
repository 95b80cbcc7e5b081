#pragma once

#include <filesystem>
#include <optional>
#include <system_error>

#include <sys/stat.h>

namespace kbsim::report {

/// Where the contents of an output go, given its path.
struct OutputTarget {
  std::filesystem::path file;         // behind all symlinks, of the path's end
  std::optional<int> descriptor;      // one of this process: of /dev/stdout, /dev/fd/N, /proc/self/fd/N
  std::optional<struct stat> before;  // what stands at `file`

  /// There is nothing yet, or a regular file: it can be replaced as a whole. Anything else (a device, a FIFO,
  /// what a descriptor has open) is a place to write to, which must stay.
  [[nodiscard]] bool is_replaceable() const { return !descriptor && (!before || S_ISREG(before->st_mode)); }
};

/// Follows symlinks; the last one may point to what isn't there yet.
[[nodiscard]] OutputTarget output_target(std::filesystem::path path, std::error_code& error);

/// Why nothing can be written there, as far as that can be known without opening it.
[[nodiscard]] std::error_code why_not_writable(const OutputTarget& target);

}  // namespace kbsim::report
