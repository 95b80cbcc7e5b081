#pragma once

#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/summary.hpp"

namespace kbsim::evaluate {

/// Overheads, peaks and efficiencies that the components of a machine report once it is built.
[[nodiscard]] topology::Figures figures_of(const topology::Graph& graph);

}  // namespace kbsim::evaluate
