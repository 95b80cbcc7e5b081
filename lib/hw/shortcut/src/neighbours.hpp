#pragma once

#include <vector>

#include "kbsim/hw/fabric/fabric.hpp"

namespace kbsim::hw {

/// The links that end at the node. InternalError if one of them has no link back.
[[nodiscard]] std::vector<LiveLink*> links_to(Fabric& fabric, NodeId node);
/// True if Fabric::takes_time() holds for all of them.
[[nodiscard]] bool all_take_time_to(Fabric& fabric, NodeId node);

}  // namespace kbsim::hw
