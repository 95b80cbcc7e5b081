#pragma once

#include "commands.hpp"

namespace kbsim::app {

/// Whether these arguments of `kbsim traffic` are about an HBM slice, not about the fabric: `--scope hbm`.
[[nodiscard]] bool asks_for_memory(const Arguments& arguments);

ExitCode memory_traffic(const Arguments& arguments);

}  // namespace kbsim::app
