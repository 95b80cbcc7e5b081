#pragma once

#include <vector>

#include "kbsim/hw/machine.hpp"
#include "kbsim/tl/barrier.hpp"

namespace kbsim::hw {

/// The barriers that PEs stand in when nothing is left to happen, each of one launch.
[[nodiscard]] std::vector<StandingBarrier> standing_barriers(Machine& machine);

}  // namespace kbsim::hw
