#pragma once

#include <vector>

#include "kbsim/host/rank.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/tl/waits.hpp"

namespace kbsim::host {

/// What host programs wait for: spawned ranks, what they have started, the PEs of a launch that haven't
/// returned, and the ranks that haven't called a collective which others have.
void add_host_waits(Waits& waits, hw::Machine& machine, const std::vector<const Rank*>& ranks);

}  // namespace kbsim::host
