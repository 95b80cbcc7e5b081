#pragma once

#include <string>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/report/run_trace.hpp"

#include "plan.hpp"
#include "run_options.hpp"

namespace kbsim::app {

/// UsageError unless every requested file can be written, and none replaces another. Checked before the run.
void require_outputs(const RunOptions& options);

/// Files that a run writes: `in_out` in the folder of --out, the op log, the trace, execution traces.
[[nodiscard]] std::vector<std::string> files_of(const RunOptions& options, const report::RunTrace& trace,
                                                const std::vector<std::string>& in_out);

/// --dry-run: prints what would run. Beside --json stdout stays empty, since nothing ran.
ExitCode show(const RunOptions& options, const Plan& plan);

}  // namespace kbsim::app
