#pragma once

#include "kbsim/sweep/records.hpp"
#include "kbsim/sweep/sweep.hpp"

namespace kbsim::sweep {

/// True if one of the known points has everything that the tables need. UsageError if there are known points
/// and none has it: waiting is useless.
[[nodiscard]] bool known_points_have(const Sweep& sweep, const Cache& cache);

}  // namespace kbsim::sweep
