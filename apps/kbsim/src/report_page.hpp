#pragma once

#include <functional>
#include <string>

#include "kbsim/base/error.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// True if --out gets a report.html.
[[nodiscard]] bool has_page(const RunOptions& options);

/// Calls `run` and, however it ends, writes report.html from the files of --out, if has_page(). For a failed
/// run it writes failure.json before, with the exit code and the text.
ExitCode with_page(const RunOptions& options, const std::function<ExitCode()>& run);

/// Writes report.html from the folder's files.
void write_report_page(const std::string& out);

}  // namespace kbsim::app
