#pragma once

#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// Ascending. By digits where there are many and none is negative: that has no branch that nobody foresees.
void sort_times(std::vector<Time>& times);

}  // namespace kbsim::hw
