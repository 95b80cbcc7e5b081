#pragma once

#include <string>

#include "kbsim/base/error.hpp"

#include "commands.hpp"
#include "evaluation.hpp"

namespace kbsim::app {

struct EvaluateOptions {
  std::string name;
  std::string out;     // folder; none: nothing is written
  bool reuse = false;  // take the rows of summary.json in `out`
  bool json = false;
  bool quiet = false;
};

/// Runs an evaluation, or takes the rows of an earlier one; prints it and, if there is a folder, writes
/// summary.json, results.csv, its figures, and unless reused run.json and config.resolved.yaml. Wrong
/// numbers in any row: ExitCode::wrong_values. Ctrl-C: the same of what has ended, ExitCode::interrupted.
ExitCode evaluate(const Evaluation& evaluation, const EvaluationRequest& request,
                  const EvaluateOptions& options, const Arguments& arguments);

}  // namespace kbsim::app
