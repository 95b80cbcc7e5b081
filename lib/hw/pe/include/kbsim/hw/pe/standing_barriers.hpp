#pragma once

#include <vector>

#include "kbsim/hw/machine.hpp"
#include "kbsim/tl/barrier.hpp"

namespace kbsim::hw {

/// The barriers in which PEs wait when no event is left, each of one launch.
[[nodiscard]] std::vector<StandingBarrier> standing_barriers(Machine& machine);

}  // namespace kbsim::hw
