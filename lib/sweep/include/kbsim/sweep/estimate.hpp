#pragma once

#include <string>

#include "kbsim/sweep/sweep.hpp"

namespace kbsim::sweep {

/// Number of unknown points, and the time that they may take: from known results, or from four points that
/// are simulated for this and not kept.
[[nodiscard]] std::string expected_time(const Sweep& sweep, Cache& cache);

/// The points as CSV, and the expected time. UsageError for a metric that is missing in a known point, or in
/// a point simulated for the time.
[[nodiscard]] std::string dry_run_text(const Sweep& sweep, Cache& cache);

}  // namespace kbsim::sweep
