#pragma once

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/sim/wait_graph.hpp"

namespace kbsim::host {

/// If the algorithm is a plan: adds to each kernel that waits for another its thread block and step, and
/// those that it waits for.
void name_plan_steps(WaitGraph& graph, const config::AlgorithmSpec& algorithm,
                     const config::MachineSpec& machine);

}  // namespace kbsim::host
