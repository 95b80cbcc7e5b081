#pragma once

#include <optional>
#include <vector>

#include "kbsim/topology/graph.hpp"

namespace kbsim::topology {

/// A route and the parts of an uncontended message's latency on it, for a message of `size`.
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

/// Over all pairs of PEs, from DMA to DMA: the most hops, and the path of a control message with the greatest
/// overhead + wire. `overhead` is by node and must be equal in all packages, as models are. None if there is
/// only one PE.
struct Farthest {
  int diameter = 0;
  PathCost path;
};
[[nodiscard]] std::optional<Farthest> farthest(const Graph& graph, const std::vector<Time>& overhead);

}  // namespace kbsim::topology
