#pragma once

#include <cstddef>
#include <optional>

namespace kbsim::report {

/// Columns of the terminal that a file descriptor is, 80 if it doesn't say; none if it isn't one.
[[nodiscard]] std::optional<std::size_t> terminal_width(int descriptor);

}  // namespace kbsim::report
