#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/run_summary.hpp"

namespace kbsim::evaluate {

/// A row's path whose changes are to be tried, and the run that it belongs to.
struct TriedRow {
  const std::vector<explain::Candidate>& candidates;
  Time length;
  std::size_t row;                      // from 1 on
  const boost::json::object& document;  // the run's, as --json prints it
  std::uint64_t events;
};

struct EvaluateOptions {
  std::string name;
  std::string out;                         // folder; none: nothing is written
  bool gets_page = false;                  // the folder gets a page afterwards
  bool reuse = false;                      // take the rows of summary.json in `out`
  std::string reuse_asked_by = "--reuse";  // the name in errors
  bool json = false;
  bool quiet = false;
  bool verbose = false;                       // full reports of deadlocks
  bool wide = false;                          // wide_text in place of text
  std::optional<report::CsvTable> reference;  // to hold the rows' times against
  /// Tries changes of the explained row; none: they aren't tried.
  std::function<std::vector<explain::Advice>(const TriedRow&)> advise = {};
};

/// Simulations have no row: the reason of the first of them, after the results of the others.
class RowsMissing : public Error {
 public:
  using Error::Error;
};

/// Runs an evaluation, or takes earlier rows; prints it and, with a folder, writes summary.json, results.csv,
/// figures and, unless reused, run.json and config.resolved.yaml. A reference adds correlation.json and its
/// figure. After all output: returns wrong_values, or throws RowsMissing for deadlocks (deadlock.json) and
/// failures, UsageError if no reference fits. Refused altogether (is_refusal): only Error. After a stop
/// signal (StopSignals): what has ended, marked as partial, without pictures; returns interrupted.
ExitCode run_evaluation(const Evaluation& evaluation, const EvaluationRequest& request,
                        const EvaluateOptions& options, const std::vector<std::string>& arguments);

/// The contents of an evaluation's summary.json, for a caller that runs many of them.
struct KeptEvaluation {
  boost::json::object summary;
  report::RunSummary run;
  ExitCode exit = ExitCode::ok;
};
/// Runs an evaluation, prints and writes nothing. Throws the first deadlock; Interrupted if it isn't whole.
[[nodiscard]] KeptEvaluation keep_evaluation(const Evaluation& evaluation, const EvaluationRequest& request,
                                             const std::string& name);

}  // namespace kbsim::evaluate
