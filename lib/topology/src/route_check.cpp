// The route of a routing from outside: checked before it is used.
#include "route_check.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::topology {
namespace {

bool is_joined(const Graph& graph, NodeId from, NodeId to) {
  return std::ranges::any_of(graph.out(from), [&](LinkId link) { return graph.link(link).to == to; });
}

// "" if the step is allowed.
std::string problem_of_step(const Graph& graph, NodeId from, NodeId here) {
  if (here.value() >= graph.nodes().size()) return fmt::format("there is no node {}", here.value());
  const Node& node = graph.node(here);
  if (!node.passes) return fmt::format("{} is neither a router nor a port", node.name);
  if (is_joined(graph, from, here)) return "";
  return fmt::format("no link leads from {} to {}", graph.node(from).name, node.name);
}

std::string problem_of(const Graph& graph, NodeId from, NodeId to, std::span<const NodeId> nodes) {
  NodeId here = from;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (std::string problem = problem_of_step(graph, here, nodes[i]); !problem.empty())
      return fmt::format("step {}: {}", i + 1, problem);
    if (nodes[i] == from || std::ranges::count(nodes, nodes[i]) > 1)
      return fmt::format("step {}: {} is on it twice", i + 1, graph.node(nodes[i]).name);
    here = nodes[i];
  }
  return here == to ? "" : fmt::format("it ends at {}", graph.node(here).name);
}

}  // namespace

void check_route(const Graph& graph, NodeId from, NodeId to, std::span<const NodeId> nodes) {
  const std::string problem = problem_of(graph, from, to, nodes);
  if (problem.empty()) return;
  const ComponentSpec& routing = graph.spec().system.routing;
  throw ConfigError{routing.at, "system.routing",
                    fmt::format("the route of '{}' from {} to {}: {}", routing.impl, graph.node(from).name,
                                graph.node(to).name, problem)};
}

}  // namespace kbsim::topology
