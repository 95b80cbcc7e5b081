#pragma once

#include <cstddef>
#include <optional>

#include <boost/json/array.hpp>

#include "kbsim/explain/op_marks.hpp"
#include "kbsim/report/run_summary.hpp"

#include "explain_run.hpp"
#include "oplog_file.hpp"
#include "ready_run.hpp"

namespace kbsim::app {

/// Results of a run of a bench.
struct Results {
  BenchReport report;
  boost::json::array launches = {};  // one row each, for a bench that reports no rows of its own
  bool by_launch = false;
  std::size_t races = 0;
  Explanations explained = {};           // with --explain, or for a page
  std::optional<LogChecksums> log = {};  // with --oplog
  report::RunSummary summary = {};
};

/// The results of a simulated run, with the explanations that its outputs need.
[[nodiscard]] Results results_of(const ReadyRun& run, BenchReport report, const explain::OpMarks& marks);

/// Computes the values that the run prints, records or checks: prints kernels' lines and races, writes the op
/// log, and sets `log` and `summary`. Throws the first check of a kernel that fails.
void compute(const ReadyRun& run, Results& results);

/// The run up to now.
[[nodiscard]] report::RunSummary summary_of(const ReadyRun& run);

}  // namespace kbsim::app
