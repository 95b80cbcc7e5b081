#pragma once

#include "kbsim/base/error.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// Runs a bench of one simulation: loads its machine, checks everything that can be known before it runs,
/// simulates, prints and writes. Throws Error, with its exit code, of whatever goes wrong.
ExitCode run_single(const RunOptions& options);

}  // namespace kbsim::app
