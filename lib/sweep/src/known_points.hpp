#pragma once

#include "kbsim/sweep/records.hpp"
#include "kbsim/sweep/sweep.hpp"

namespace kbsim::sweep {

/// True if one of the points that are known has all that tables are asked for; UsageError if there are such
/// points and none has: there is nothing to wait for.
[[nodiscard]] bool known_points_have(const Sweep& sweep, const Cache& cache);

}  // namespace kbsim::sweep
