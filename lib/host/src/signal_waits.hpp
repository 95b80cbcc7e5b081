#pragma once

#include "kbsim/hw/address_names.hpp"
#include "kbsim/sim/wait_graph.hpp"

namespace kbsim::host {

/// Adds to each wait for a signal the tensor that holds its word, if there is one.
void name_signals(WaitGraph& graph, const hw::AddressNames& names);

}  // namespace kbsim::host
