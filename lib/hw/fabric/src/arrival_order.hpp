#pragma once

#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

/// The order in which a node takes the packets of one time: by input port, then by arrival of their heads.
/// Packets that start here are ordered by sender, receiver and content. It depends on the packets, not on the
/// order of the events that made them. Only messages that are alike in all of this keep the order in which
/// they were made.
[[nodiscard]] bool arrives_before(const Packet* a, const Packet* b);

}  // namespace kbsim::hw
