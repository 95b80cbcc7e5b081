#pragma once

#include <optional>

#include "kbsim/topology/graph.hpp"

namespace kbsim::topology {

/// Bisection bandwidth in GB/s of one direction: the least over the straight cuts, one in x and one in y,
/// that leave as many columns (rows) on either side, or one more on the far side if they are odd. Counted
/// over the links that join two cells of that fabric directly. None where there is but one cell.
struct Bisections {
  std::optional<double> noc;      // the routers of a cube
  std::optional<double> package;  // the cubes of a package; the IO chiplet isn't counted
  std::optional<double> system;   // the packages; the host's switch isn't counted
};
[[nodiscard]] Bisections bisections(const Graph& graph);

}  // namespace kbsim::topology
