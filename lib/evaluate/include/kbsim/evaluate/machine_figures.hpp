#pragma once

#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/summary.hpp"

namespace kbsim::evaluate {

/// What the components of a machine say of themselves once it is built: overheads, peaks, efficiencies.
[[nodiscard]] topology::Figures figures_of(const topology::Graph& graph);

}  // namespace kbsim::evaluate
