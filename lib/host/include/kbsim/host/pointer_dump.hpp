#pragma once

#include <string>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/tl/queue_waits.hpp"

namespace kbsim::host {

/// Both ends of all installed queues, in the order of PEs.
[[nodiscard]] std::vector<QueueEnd> queue_ends(hw::Machine& machine);

/// A line for each end of a queue, by direction, with its counters, its waiting calls, and the places of its
/// ring and the peer's: "sip0.cube0.pe0 E: my_head=1 my_tail=0 ... ring sip0.cube0.pe0 ipcq+0x0 peer
/// sip1.cube0.pe0 W sip1.cube0.pe0 ipcq+0x4000".
[[nodiscard]] std::string pointer_dump(hw::Machine& machine);

/// The places of these PEs' rings, as a section of a report; "" if they have none.
[[nodiscard]] std::string describe_rings(hw::Machine& machine, const std::vector<PeCoord>& pes);

}  // namespace kbsim::host
