#pragma once

#include "kbsim/base/error.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// Runs a bench of many simulations. Unsupported or UsageError if an option that was given has no effect.
ExitCode run_evaluation(const RunOptions& options);

}  // namespace kbsim::app
