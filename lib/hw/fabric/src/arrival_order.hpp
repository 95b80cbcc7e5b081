#pragma once

#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

/// The order in which a node takes the packets of one time: by input port; of one link as their heads came;
/// of those that start here by who says it, to whom, and what. It hangs on what the packets are, not on the
/// order of the events that made them: only messages that are alike in all of this go as they were made.
[[nodiscard]] bool arrives_before(const Packet* a, const Packet* b);

}  // namespace kbsim::hw
