#pragma once

#include "run_options.hpp"

namespace kbsim::app {

/// Unsupported, with a bench that takes it, for an option that many simulations together don't take;
/// UsageError for options that contradict each other. Known before anything is read.
void require_suited(const RunOptions& options);

/// The same of --trace and --trace-dir, for an evaluation that has no single simulation.
void require_traced(const RunOptions& options);

}  // namespace kbsim::app
