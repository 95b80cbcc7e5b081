#pragma once

#include <cstddef>
#include <vector>

#include "kbsim/base/closed_walk.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/side.hpp"

namespace kbsim::topology {

/// Routes on a network of a cube, by the numbers of its routers.
class NocWalk {
 public:
  NocWalk(const config::NocSpec& noc, const config::FloorPlan& plan, int network)
      : noc_{noc}, plan_{plan}, links_{noc.links[static_cast<std::size_t>(network)]} {}

  /// Appends the routers of the route from `from` to `to`, without `from`.
  ///  - Both ways: in this order of dimensions, the shorter way round where the NOC wraps, east and south if
  ///    both are equally long.
  ///  - One way: round the rings, east_south along the row first, north_west along the column first.
  ///  - With places that have no router: the fewest hops of those that first go up and then down a tree of
  ///    all routers, so that routes can't wait for one another in a circle.
  void walk(int from, int to, DimensionOrder order, std::vector<int>& path) const;

 private:
  void along(int& here, int goal, int size, int way, bool row, int other, std::vector<int>& path) const;
  void go_up_and_down(int from, int to, std::vector<int>& path) const;
  [[nodiscard]] std::vector<int> neighbours(int router) const;
  [[nodiscard]] std::vector<int> levels() const;
  [[nodiscard]] int step(int from, int to, int size) const;

  const config::NocSpec& noc_;
  const config::FloorPlan& plan_;
  config::NocLinks links_;
};

}  // namespace kbsim::topology
