#pragma once

#include "ready_run.hpp"

namespace kbsim::app {

/// Simulates the run, writes the files that were asked for, and prints. However it ends, the results so far
/// are reported.
ExitCode simulate_bench(const ReadyRun& run);

}  // namespace kbsim::app
