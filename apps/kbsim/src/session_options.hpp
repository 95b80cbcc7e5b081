#pragma once

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/host/session.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// How the session of a single simulation is made. UsageError for an option that contradicts --timing-only, a
/// limit that is no time, and a question that only rows answer.
[[nodiscard]] host::SessionOptions session_options(const RunOptions& options, const config::CclSpec& ccl);

}  // namespace kbsim::app
