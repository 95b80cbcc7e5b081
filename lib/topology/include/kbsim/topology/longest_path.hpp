#pragma once

#include <optional>
#include <vector>

#include "kbsim/topology/graph.hpp"

namespace kbsim::topology {

/// A route and what a message of `size` spends on it when nothing else moves.
struct PathCost {
  NodeId from;
  NodeId to;
  int hops = 0;     // links
  Time overhead{};  // of the node before each link
  Time wire{};
  Time drain{};  // size / the slowest link

  [[nodiscard]] Time latency() const { return overhead + wire + drain; }
};
[[nodiscard]] PathCost path_cost(const Graph& graph, const std::vector<Time>& overhead, NodeId from,
                                 NodeId to, Bytes size);

/// Of all pairs of PEs, from DMA to DMA: the most hops, and the path of a control message with the greatest
/// overhead + wire. `overhead` is by node and must be alike in all packages, as models are.
/// None where there is but one PE.
struct Farthest {
  int diameter = 0;
  PathCost path;
};
[[nodiscard]] std::optional<Farthest> farthest(const Graph& graph, const std::vector<Time>& overhead);

}  // namespace kbsim::topology
