#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "kbsim/report/run_trace.hpp"

#include "commands.hpp"
#include "dry_run.hpp"
#include "kept_run.hpp"

namespace kbsim::app {

/// Where results go: stdout, the folder of --out, single files, or a caller. Empty texts weren't given.
struct RunOutputs {
  std::string out;             // --out: tables, run.json and the page
  bool no_report = false;      // no page
  bool reuse = false;          // an evaluation's rows are those in `out`
  std::string reuse_asked_by;  // the name of --reuse in errors
  std::string reference;       // --reference: times to print beside an evaluation's
  std::string oplog;
  std::string chakra;
  report::TraceOptions trace = {};
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool wide = false;  // tables with all columns
  bool dry_run = false;
  std::string unnamed_topology;  // ", on topology.yaml" in the last line, if no machine was named
  Arguments arguments = {};      // as run.json has them, defaults included
  KeptRun* kept = nullptr;       // gets the result in place of stdout and files
};

/// The options of the outputs, in two blocks of the help page: results, and records of a run.
void describe_outputs(RunOutputs& outputs, boost::program_options::options_description& to);
void describe_records(RunOutputs& outputs, boost::program_options::options_description& to);

/// Takes the parsed values that depend on the words that were given, and on the arguments with their
/// defaults. UsageError if an output has no effect.
void take_values(const boost::program_options::variables_map& values, const Arguments& given,
                 const Arguments& arguments, RunOutputs& outputs);

/// True if --out is written, and true if it also gets a page.
[[nodiscard]] bool has_folder(const RunOutputs& outputs);
[[nodiscard]] bool has_page(const RunOutputs& outputs);
/// True if progress is shown: a caller that keeps the result shows its own.
[[nodiscard]] bool shows_progress(const RunOutputs& outputs);

/// UsageError unless every requested file can be written, and none replaces another. Checked before the run.
void require_outputs(const RunOutputs& outputs);

/// Files that a run of this bench writes: `in_out` in the folder of --out, the op log, traces.
[[nodiscard]] std::vector<std::string> files_of(const RunOutputs& outputs, const std::string& bench,
                                                const report::RunTrace& trace,
                                                const std::vector<std::string>& in_out);

/// --dry-run: prints what would run. Beside --json stdout stays empty, since nothing ran.
ExitCode show(const RunOutputs& outputs, const Plan& plan);

}  // namespace kbsim::app
