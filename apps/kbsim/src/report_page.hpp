#pragma once

#include <functional>
#include <string>

#include "kbsim/base/error.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// --out is to have a report.html.
[[nodiscard]] bool has_page(const RunOptions& options);

/// Runs it and, however it ends, writes report.html of what --out has then, if it is to have one; of a run
/// that fails failure.json before it, with its exit code and text.
ExitCode with_page(const RunOptions& options, const std::function<ExitCode()>& run);

/// report.html of what the folder has.
void write_report_page(const std::string& out);

}  // namespace kbsim::app
