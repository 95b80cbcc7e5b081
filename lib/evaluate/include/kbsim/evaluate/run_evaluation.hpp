#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/run_summary.hpp"

namespace kbsim::evaluate {

struct EvaluateOptions {
  std::string name;
  std::string out;                         // folder; none: nothing is written
  bool gets_page = false;                  // the folder, next
  bool reuse = false;                      // take the rows of summary.json in `out`
  std::string reuse_asked_by = "--reuse";  // what errors name
  bool json = false;
  bool quiet = false;
  bool verbose = false;                       // of a deadlock: all that is known
  std::optional<report::CsvTable> reference;  // to hold the rows' times against
};

/// Why simulations have no row: of the first of them, behind what the others gave.
class RowsMissing : public Error {
 public:
  using Error::Error;
};

/// Runs an evaluation, or takes the rows of an earlier one; prints it and, if there is a folder, writes
/// summary.json, results.csv, its figures, and unless reused run.json and config.resolved.yaml; with a
/// reference also correlation.json and its figure, or UsageError, after all else, if nothing fits. Wrong
/// numbers in any row: ExitCode::wrong_values. Simulations that are deadlocked, or fail otherwise, have no
/// row: RowsMissing after all else, deadlock.json of the former. Where all of them are refused (is_refusal)
/// nothing is printed or written: Error. After a signal that asks for the end (StopSignals) the same of what
/// has ended, which says that it isn't all, without pictures: ExitCode::interrupted.
ExitCode run_evaluation(const Evaluation& evaluation, const EvaluationRequest& request,
                        const EvaluateOptions& options, const std::vector<std::string>& arguments);

/// What summary.json of an evaluation would have, for who runs many of them.
struct KeptEvaluation {
  boost::json::object summary;
  report::RunSummary run;
  ExitCode exit = ExitCode::ok;
};
/// Runs an evaluation, prints and writes nothing. Throws the first deadlock; Interrupted if it isn't whole.
[[nodiscard]] KeptEvaluation keep_evaluation(const Evaluation& evaluation, const EvaluationRequest& request,
                                             const std::string& name);

}  // namespace kbsim::evaluate
