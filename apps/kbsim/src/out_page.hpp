#pragma once

#include <functional>
#include <string>

#include "kbsim/base/error.hpp"

#include "run_outputs.hpp"

namespace kbsim::app {

/// Calls `run` and, however it ends, writes report.html from the files of --out, if has_page(). For a failed
/// run it writes failure.json before, with the exit code and the text.
ExitCode with_page(const RunOutputs& outputs, const std::function<ExitCode()>& run);

/// Writes report.html from the folder's files.
void write_report_page(const std::string& out);

}  // namespace kbsim::app
