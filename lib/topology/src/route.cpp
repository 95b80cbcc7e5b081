#include "kbsim/topology/route.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/i_routing.hpp"

namespace kbsim::topology {
namespace {

using Path = std::vector<NodeId>;
constexpr std::size_t kUsual = 16;  // nodes

// An end of routes, with the router by which it meets the fabric.
const Node& end_of_route(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!node.access.router.valid()) throw InternalError{node.name + " is no end of a route"};
  return node;
}

// From a node up to its router or its crossbar.
Path climb(const Graph& graph, NodeId id, NodeId goal) {
  Path up;
  up.reserve(kUsual);
  for (; id.valid() && id != goal && !graph.node(id).passes; id = graph.node(id).access.up) up.push_back(id);
  up.push_back(goal);
  return up;
}

// The way down is the way up backwards, without the node where they meet.
void descend(Path& path, const Path& up) { path.insert(path.end(), std::next(up.rbegin()), up.rend()); }

// A crossbar joins requesters to the memories of their own cube; the NOC is not involved.
bool meet_at_xbar(const Access& a, const Access& b) {
  return a.xbar.valid() && a.xbar == b.xbar && a.is_memory != b.is_memory;
}

// The gate of a package to the host, which is above all packages.
NodeId gate_to(const Graph& graph, NodeId id) {
  return graph.sips()[static_cast<std::size_t>(end_of_route(graph, id).at.sip)].pcie_ep;
}

Path from_host(const Graph& graph, NodeId to) {
  if (to == graph.host()) return {to};
  Path result{graph.host(), graph.pcie_switch()};
  std::ranges::copy(path(graph, gate_to(graph, to), to), std::back_inserter(result));
  return result;
}

Path to_host(const Graph& graph, NodeId from) {
  Path result = path(graph, from, gate_to(graph, from));
  result.insert(result.end(), {graph.pcie_switch(), graph.host()});
  return result;
}

}  // namespace

std::vector<NodeId> path(const Graph& graph, NodeId from, NodeId to) {
  if (from == graph.host()) return from_host(graph, to);
  if (to == graph.host()) return to_host(graph, from);
  const Access& source = end_of_route(graph, from).access;
  const Access& target = end_of_route(graph, to).access;
  if (from == to && source.turns) return {from, source.router, to};
  if (meet_at_xbar(source, target)) {
    Path result = climb(graph, from, source.xbar);
    descend(result, climb(graph, to, target.xbar));
    return result;
  }

  Path up = climb(graph, from, source.router);
  Path down = climb(graph, to, target.router);
  const auto meet = std::ranges::find_first_of(up, down);  // both behind the same node
  if (meet != up.end()) {
    down.erase(std::next(std::ranges::find(down, *meet)), down.end());
    up.erase(std::next(meet), up.end());
  } else {
    graph.routing().walk(graph, source.router, target.router, up);
  }
  descend(up, down);
  return up;
}

Route find_route(const Graph& graph, NodeId from, NodeId to) {
  const std::vector<NodeId> nodes = path(graph, from, to);
  Route route;
  route.reserve(nodes.size() - 1);
  std::uint32_t place = 0;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
    route.push_back(graph.link_between(nodes[i], nodes[i + 1], place));
  return route;
}

std::vector<std::uint8_t> phases(const Graph& graph, const Route& route) {
  std::vector<std::uint8_t> found;
  int axis = 0;
  std::uint8_t phase = 0;
  for (const LinkId id : route) {
    const Link& link = graph.link(id);
    if (link.axis != axis) phase = 0;
    if (link.wraps) phase = 1;
    axis = link.axis;
    found.push_back(phase);
  }
  return found;
}

const Route& Routes::operator()(NodeId from, NodeId to) {
  const std::uint64_t key = (std::uint64_t{from.value()} << 32) | to.value();
  if (const auto known = found_.find(key); known != found_.end()) return known->second;
  return found_.emplace(key, find_route(*graph_, from, to)).first->second;
}

}  // namespace kbsim::topology
