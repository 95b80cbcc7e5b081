#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/base/error.hpp"

#include "ready_run.hpp"
#include "run_results.hpp"

namespace kbsim::app {

/// The results as --json prints them.
[[nodiscard]] boost::json::object document_of(const ReadyRun& run, const Results& results);

/// Writes the files of --out and prints the results on stdout, as text or JSON, and the summary on stderr. A
/// caller that keeps them gets them in place of that. Returns wrong_values if the bench reports that.
ExitCode report_results(const ReadyRun& run, const Results& results);

/// Writes the files of --out, if any, and prints nothing.
void write_only(const ReadyRun& run, const Results& results);

/// The files of --out, if any, for a run that a signal stopped: its progress until then.
void write_partial_results(const ReadyRun& run);

/// Prints ten races on stderr, and the number of the others.
void print_races(const std::vector<std::string>& races);

}  // namespace kbsim::app
