#include "kbsim/topology/route.hpp"

#include <algorithm>
#include <string_view>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/i_routing.hpp"

#include "route_check.hpp"

namespace kbsim::topology {
namespace {

constexpr std::string_view kBuiltin = "builtin.";

// An end of routes, with the router that connects it to the fabric.
const Node& end_of_route(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!node.access.router.valid()) throw InternalError{node.name + " is no end of a route"};
  return node;
}

// A crossbar joins requesters to the memories of their own cube; the NOC is not involved.
bool meet_at_xbar(const Access& a, const Access& b) {
  return a.xbar.valid() && a.xbar == b.xbar && a.is_memory != b.is_memory;
}

// The gate of a package to the host; the host is above all packages.
NodeId gate_to(const Graph& graph, NodeId id) {
  return graph.sips()[static_cast<std::size_t>(end_of_route(graph, id).at.sip)].pcie_ep;
}

}  // namespace

std::span<const LinkId> RouteFinder::operator()(NodeId from, NodeId to, int network) {
  static_cast<void>(nodes(from, to, network));
  route_.clear();
  std::uint32_t place = 0;
  for (std::size_t i = 0; i + 1 < nodes_.size(); ++i)
    route_.push_back(graph_->link_between(nodes_[i], nodes_[i + 1], place));
  return route_;
}

std::span<const NodeId> RouteFinder::nodes(NodeId from, NodeId to, int network) {
  network_ = network;
  nodes_.clear();
  const NodeId host = graph_->host();
  if (from == host && to == host) {
    nodes_.push_back(host);
  } else if (from == host) {
    nodes_.insert(nodes_.end(), {host, graph_->pcie_switch()});
    add(gate_to(*graph_, to), to);
  } else if (to == host) {
    add(from, gate_to(*graph_, from));
    nodes_.insert(nodes_.end(), {graph_->pcie_switch(), host});
  } else {
    add(from, to);
  }
  return nodes_;
}

// The part of a route below the host.
void RouteFinder::add(NodeId from, NodeId to) {
  const Access& source = end_of_route(*graph_, from).access;
  const Access& target = end_of_route(*graph_, to).access;
  if (from == to && source.turns) {
    nodes_.insert(nodes_.end(), {from, on_network(source.router), to});
  } else {
    join(source, from, target, to);
  }
}

void RouteFinder::join(const Access& source, NodeId from, const Access& target, NodeId to) {
  const auto first = static_cast<std::ptrdiff_t>(nodes_.size());
  down_.clear();
  if (meet_at_xbar(source, target)) {
    climb(from, source.xbar, nodes_);
    climb(to, target.xbar, down_);
    return descend();
  }
  const NodeId out = nearest_port(source, from, on_network(target.router));
  const NodeId in = nearest_port(target, to, on_network(source.router));
  climb(from, out, nodes_);
  climb(to, in, down_);
  const auto meet =
      std::ranges::find_first_of(nodes_.begin() + first, nodes_.end(), down_.begin(), down_.end());
  if (meet != nodes_.end()) {  // both below the same node
    down_.erase(std::next(std::ranges::find(down_, *meet)), down_.end());
    nodes_.erase(std::next(meet), nodes_.end());
  } else {
    const std::size_t before = nodes_.size();
    graph_->routing().walk(*graph_, out, in, nodes_);
    if (!graph_->spec().system.routing.impl.starts_with(kBuiltin))
      check_route(*graph_, out, in, std::span{nodes_}.subspan(before));
  }
  descend();
}

// The router of a memory that is fewest hops from another one, the first of several. Both directions are
// counted, so that requests and responses of one pair use one port.
NodeId RouteFinder::nearest_port(const Access& end, NodeId id, NodeId other) {
  if (end.ports < 2) return on_network(end.router);
  NodeId nearest;
  std::size_t fewest = 0;
  for (const NodeId first : graph_->memory_ports(id)) {
    const NodeId port = on_network(first);
    tried_.clear();
    if (port != other) {
      graph_->routing().walk(*graph_, port, other, tried_);
      graph_->routing().walk(*graph_, other, port, tried_);
    }
    if (nearest.valid() && tried_.size() >= fewest) continue;
    nearest = port;
    fewest = tried_.size();
  }
  return nearest;
}

// From a node up to its router or its crossbar.
void RouteFinder::climb(NodeId id, NodeId goal, std::vector<NodeId>& up) const {
  for (; id.valid() && id != goal && !graph_->node(id).passes; id = graph_->node(id).access.up)
    up.push_back(id);
  up.push_back(goal);
}

// The way down is the way up backwards, without the node where they meet.
void RouteFinder::descend() { nodes_.insert(nodes_.end(), std::next(down_.rbegin()), down_.rend()); }

std::vector<NodeId> path(const Graph& graph, NodeId from, NodeId to, int network) {
  RouteFinder find{graph};
  const std::span<const NodeId> nodes = find.nodes(from, to, network);
  return {nodes.begin(), nodes.end()};
}

Route find_route(const Graph& graph, NodeId from, NodeId to, int network) {
  RouteFinder find{graph};
  const std::span<const LinkId> links = find(from, to, network);
  return {links.begin(), links.end()};
}

std::vector<std::uint8_t> phases(const Graph& graph, std::span<const LinkId> route) {
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

const Route& Routes::operator()(NodeId from, NodeId to, int network) {
  auto& found = found_[static_cast<std::size_t>(network)];
  const std::uint64_t key = (std::uint64_t{from.value()} << 32) | to.value();
  if (const auto known = found.find(key); known != found.end()) return known->second;
  const std::span<const LinkId> links = find_(from, to, network);
  return found.emplace(key, Route(links.begin(), links.end())).first->second;
}

}  // namespace kbsim::topology
