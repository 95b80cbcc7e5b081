#pragma once

#include <cstddef>
#include <optional>

#include "kbsim/base/live_line.hpp"

namespace kbsim::report {

/// Columns of the terminal of a file descriptor, 80 if unknown; none if it is no terminal.
[[nodiscard]] std::optional<std::size_t> terminal_width(int descriptor);

/// stderr, if it is a terminal, and the process's clock.
[[nodiscard]] std::optional<LiveLine::Terminal> terminal_of_stderr();

}  // namespace kbsim::report
