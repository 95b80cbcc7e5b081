#pragma once

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/sim/wait_graph.hpp"

namespace kbsim::host {

/// Of an algorithm that is a plan: says of each kernel that waits for another at which step of which thread
/// block it stands, and for which.
void name_plan_steps(WaitGraph& graph, const config::AlgorithmSpec& algorithm,
                     const config::MachineSpec& machine);

}  // namespace kbsim::host
