#pragma once

#include "kbsim/base/ids.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::hw {

/// The network of cubes that a message takes, by `cube.noc.use`; 0 if there is one. A request that a DMA
/// sends reads, one from a TCM carries what is written; answers follow their requests. Endpoints of traffic
/// stay on the network that they are attached to.
[[nodiscard]] int noc_number(const topology::Graph& graph, NodeId from, NodeId to,
                             TrafficClass traffic_class);

}  // namespace kbsim::hw
