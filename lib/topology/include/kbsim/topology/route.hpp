#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "kbsim/topology/graph.hpp"

namespace kbsim::topology {

/// The links from one node to another, in order.
using Route = std::vector<LinkId>;

/// The nodes on a message's route from `from` to `to`, both included: each end climbs to its router, and
/// between the routers the graph's routing decides. In cubes with several networks it takes that one. Traffic
/// between a PE's DMA or TCM and the HBM of its own cube takes the crossbar; all other traffic takes the NOC.
/// InternalError if an end is no end of a route: a switch, a port, a crossbar, an engine.
[[nodiscard]] std::vector<NodeId> path(const Graph& graph, NodeId from, NodeId to, int network = 0);

/// The links of that path.
[[nodiscard]] Route find_route(const Graph& graph, NodeId from, NodeId to, int network = 0);

/// The phase of a route at each of its links. In a ring of nodes, each could wait for the next in a cycle. So
/// a route enters phase 1 on the link that closes the ring (the dateline), and phase 0 again where it turns
/// to another axis. Links of different phases have different virtual channels.
[[nodiscard]] std::vector<std::uint8_t> phases(const Graph& graph, std::span<const LinkId> route);

/// Finds routes one after another, in memory of its own.
class RouteFinder {
 public:
  explicit RouteFinder(const Graph& graph) : graph_{&graph} {}

  /// The links of path(), valid until the next call.
  [[nodiscard]] std::span<const LinkId> operator()(NodeId from, NodeId to, int network = 0);
  /// The nodes of path(), likewise.
  [[nodiscard]] std::span<const NodeId> nodes(NodeId from, NodeId to, int network = 0);

 private:
  void add(NodeId from, NodeId to);
  void join(const Access& source, NodeId from, const Access& target, NodeId to);
  void climb(NodeId id, NodeId goal, std::vector<NodeId>& up) const;
  void descend();
  [[nodiscard]] NodeId nearest_port(const Access& end, NodeId id, NodeId other);

  [[nodiscard]] NodeId on_network(NodeId router) const { return graph_->on_network(router, network_); }

  const Graph* graph_;
  int network_ = 0;
  std::vector<NodeId> nodes_;
  std::vector<NodeId> down_;   // the way up from the target
  std::vector<NodeId> tried_;  // from one port of a memory, and back
  Route route_;
};

/// Routes found so far; references stay valid.
class Routes {
 public:
  explicit Routes(const Graph& graph) : find_{graph} {}

  [[nodiscard]] const Route& operator()(NodeId from, NodeId to, int network = 0);

 private:
  RouteFinder find_;
  std::array<std::unordered_map<std::uint64_t, Route>, config::kMostNetworks> found_;
};

}  // namespace kbsim::topology
