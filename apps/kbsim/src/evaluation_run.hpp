#pragma once

#include <boost/program_options/variables_map.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/evaluate/evaluation.hpp"

#include "commands.hpp"
#include "run_options.hpp"

namespace kbsim::app {

/// Runs a bench of many simulations. `own`: all options that were given; Unsupported or UsageError if one of
/// them has no effect.
ExitCode run_evaluation(const evaluate::Evaluation& evaluation, const RunOptions& options,
                        const boost::program_options::variables_map& own, const Arguments& arguments);

}  // namespace kbsim::app
