#pragma once

#include <optional>

#include "kbsim/topology/graph.hpp"

namespace kbsim::topology {

/// Bisection bandwidth in GB/s of one direction. It is the lesser of two straight cuts, one in x and one in
/// y, with equal numbers of columns (rows) on either side, or one more on the far side if they are odd. Only
/// links that directly join two cells of the fabric count. None if there is only one cell, or if switches
/// join packages.
struct Bisections {
  std::optional<double> noc;      // the routers of a cube
  std::optional<double> package;  // the cubes of a package; the IO chiplet isn't counted
  std::optional<double> system;   // the packages; the host's switch isn't counted
};
[[nodiscard]] Bisections bisections(const Graph& graph);

}  // namespace kbsim::topology
