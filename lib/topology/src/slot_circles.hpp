#pragma once

#include "kbsim/topology/graph.hpp"

namespace kbsim::topology {

/// Packets hold a slot of a link between chips until they get one of the next such link on their route.
/// ConfigError if routes could wait for one another in a circle. In dimension order they can't within a
/// package and on rings with a bubble; routes over other wires of packages are checked, and other routings
/// refused.
void check_slot_circles(const Graph& graph);

}  // namespace kbsim::topology
