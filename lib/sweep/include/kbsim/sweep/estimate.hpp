#pragma once

#include <string>

#include "kbsim/sweep/sweep.hpp"

namespace kbsim::sweep {

/// How many points aren't known, and how long they may take: by results that are there, or by four points
/// that are simulated for it and not kept.
[[nodiscard]] std::string expected_time(const Sweep& sweep, Cache& cache);

/// The points as CSV, and the expected time. UsageError for a metric that a point which is known, or is
/// simulated for the time, hasn't.
[[nodiscard]] std::string dry_run_text(const Sweep& sweep, Cache& cache);

}  // namespace kbsim::sweep
