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

/// What a bench found.
struct Results {
  BenchReport report;
  boost::json::array launches = {};  // of one that reports no rows of its own: a row each
  bool by_launch = false;
  std::size_t races = 0;
  Explanations explained = {};  // with --explain, or for a page
};

[[nodiscard]] Results results_of(const RunOptions& options, host::Session& session, BenchReport report,
                                 const explain::OpMarks& marks);

/// --oplog's file, and the checksums of what is in it.
[[nodiscard]] std::optional<LogChecksums> log_of(const RunOptions& options, host::Session& session);

/// The files of --out.
void write_results(const report::OutputFolder& folder, const RunOptions& options, const Arguments& arguments,
                   host::Session& session, const Results& outcome, const report::RunSummary& summary,
                   const std::optional<LogChecksums>& log);

/// Those of a run that a signal has stopped: how far it was.
void write_partial_results(const report::OutputFolder& folder, const RunOptions& options,
                           const Arguments& arguments, host::Session& session, report::RunSummary summary);

/// As --json prints it.
[[nodiscard]] boost::json::object to_json(const RunOptions& options, const Results& outcome,
                                          const report::RunSummary& summary, const hw::Attribution& messages,
                                          const std::optional<LogChecksums>& log);

/// On stdout, as text or JSON; the summary on stderr.
void print_results(const RunOptions& options, host::Session& session, const Results& outcome,
                   const report::RunSummary& summary, const std::optional<LogChecksums>& log);

/// Ten of them on stderr, and how many others there are.
void print_races(const std::vector<std::string>& races);

}  // namespace kbsim::app
