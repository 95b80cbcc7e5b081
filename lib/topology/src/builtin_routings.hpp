#pragma once

#include "kbsim/topology/i_routing.hpp"
#include "kbsim/topology/side.hpp"

namespace kbsim::topology {

struct NoAttributes {
  static void describe(auto&) {}
};

/// Along a row and then along a column, or the other way round, at each level: NOC, cubes, packages.
[[nodiscard]] RoutingModel dimension_order(DimensionOrder order);

/// Routing by tables of shortest routes.
[[nodiscard]] RoutingModel shortest_paths();

}  // namespace kbsim::topology
