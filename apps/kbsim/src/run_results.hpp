#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/app/bench.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/run_summary.hpp"

#include "commands.hpp"
#include "explain_run.hpp"
#include "oplog_file.hpp"
#include "run_options.hpp"

namespace kbsim::app {

/// Results of a run of a bench.
struct Results {
  BenchReport report;
  boost::json::array launches = {};  // one row each, for a bench that reports no rows of its own
  bool by_launch = false;
  std::size_t races = 0;
  Explanations explained = {};  // with --explain, or for a page
};

[[nodiscard]] Results results_of(const RunOptions& options, host::Session& session, BenchReport report,
                                 const explain::OpMarks& marks);

/// Writes --oplog's file, and returns its checksums; none without --oplog.
[[nodiscard]] std::optional<LogChecksums> log_of(const RunOptions& options, host::Session& session);

/// The files of --out.
void write_results(const report::OutputFolder& folder, const RunOptions& options, const Arguments& arguments,
                   host::Session& session, const Results& outcome, const report::RunSummary& summary,
                   const std::optional<LogChecksums>& log);

/// The files of --out for a run that a signal stopped: its progress until then.
void write_partial_results(const report::OutputFolder& folder, const RunOptions& options,
                           const Arguments& arguments, host::Session& session, report::RunSummary summary);

/// As --json prints it.
[[nodiscard]] boost::json::object to_json(const RunOptions& options, const Results& outcome,
                                          const report::RunSummary& summary, const hw::Attribution& messages,
                                          const std::optional<LogChecksums>& log);

/// On stdout, as text or JSON; the summary on stderr.
void print_results(const RunOptions& options, host::Session& session, const Results& outcome,
                   const report::RunSummary& summary, const std::optional<LogChecksums>& log);

/// Prints ten races on stderr, and the number of the others.
void print_races(const std::vector<std::string>& races);

}  // namespace kbsim::app
