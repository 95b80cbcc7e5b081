#pragma once

#include <cstddef>
#include <optional>

#include "kbsim/base/live_line.hpp"

namespace kbsim::report {

/// Columns of the terminal that a file descriptor is, 80 if it doesn't say; none if it isn't one.
[[nodiscard]] std::optional<std::size_t> terminal_width(int descriptor);

/// stderr, if it is a terminal, and the process's clock.
[[nodiscard]] std::optional<LiveLine::Terminal> terminal_of_stderr();

}  // namespace kbsim::report
