#pragma once

#include <optional>
#include <string>

#include <boost/program_options.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/report/csv.hpp"

#include "commands.hpp"
#include "evaluation.hpp"

namespace kbsim::app {

struct EvaluateOptions {
  std::string name;
  std::string out;     // folder; none: nothing is written
  bool reuse = false;  // take the rows of summary.json in `out`
  bool json = false;
  bool quiet = false;
  std::optional<report::CsvTable> reference;  // to hold the rows' times against
};

/// Adds the options that an evaluation has besides those of every run.
void describe(const Evaluation& evaluation, boost::program_options::options_description& to);
/// What --reference names, if anything; UsageError for a file that nothing can be held against.
[[nodiscard]] std::optional<report::CsvTable> reference_of(const boost::program_options::variables_map& own);

/// Runs an evaluation, or takes the rows of an earlier one; prints it and, if there is a folder, writes
/// summary.json, results.csv, its figures, and unless reused run.json and config.resolved.yaml; with a
/// reference also correlation.json and its figure, or UsageError, after all else, if nothing fits. Wrong
/// numbers in any row: ExitCode::wrong_values. Ctrl-C: the same of what has ended, ExitCode::interrupted.
ExitCode evaluate(const Evaluation& evaluation, const EvaluationRequest& request,
                  const EvaluateOptions& options, const Arguments& arguments);

}  // namespace kbsim::app
