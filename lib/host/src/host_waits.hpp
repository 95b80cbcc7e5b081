#pragma once

#include <vector>

#include "kbsim/host/rank.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/tl/waits.hpp"

namespace kbsim::host {

/// Adds the waits of host programs: for spawned ranks, for their operations, for PEs of a launch that haven't
/// returned, and for ranks that haven't called a collective that others have called.
void add_host_waits(Waits& waits, hw::Machine& machine, const std::vector<const Rank*>& ranks);

}  // namespace kbsim::host
