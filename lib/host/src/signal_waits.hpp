#pragma once

#include "kbsim/hw/address_names.hpp"
#include "kbsim/sim/wait_graph.hpp"

namespace kbsim::host {

/// Says of each signal that a kernel waits for which tensor its word is in, if it is in one.
void name_signals(WaitGraph& graph, const hw::AddressNames& names);

}  // namespace kbsim::host
