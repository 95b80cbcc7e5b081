#pragma once

#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// Sorts ascending. If there are many and none is negative, it sorts by digits, without unpredictable
/// branches.
void sort_times(std::vector<Time>& times);

}  // namespace kbsim::hw
