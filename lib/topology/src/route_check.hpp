#pragma once

#include <span>

#include "kbsim/topology/graph.hpp"

namespace kbsim::topology {

/// Checks the nodes that a routing gave for a route from `from` to `to`: ConfigError with the routing's place
/// and name, the two routers, and the step that IRouting's contract doesn't allow.
void check_route(const Graph& graph, NodeId from, NodeId to, std::span<const NodeId> nodes);

}  // namespace kbsim::topology
