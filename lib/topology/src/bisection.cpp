#include "kbsim/topology/bisection.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include <range/v3/view/enumerate.hpp>

#include "kbsim/topology/sip_grid.hpp"
#include "kbsim/topology/sip_network.hpp"

namespace kbsim::topology {
namespace {

// A fabric as a grid of cells: the cell of each node, row by row; none: a node of another fabric.
struct Grid {
  int w;
  int h;
  std::function<std::optional<int>(NodeId)> cell;
};

// Total bandwidth of the links from `near` cells to others.
double crossing(const Graph& graph, const Grid& grid, const std::function<bool(int)>& near) {
  double sum = 0.0;
  for (const Link& link : graph.links()) {
    const std::optional<int> from = grid.cell(link.from);
    const std::optional<int> to = grid.cell(link.to);
    if (from && to && near(*from) && !near(*to)) sum += link.bandwidth.gbs();
  }
  return sum;
}

std::optional<double> bisection(const Graph& graph, const Grid& grid) {
  std::optional<double> least;
  const auto cut = [&](const std::function<bool(int)>& near) {
    const double sum = crossing(graph, grid, near);
    least = std::min(least.value_or(sum), sum);
  };
  if (grid.w > 1) cut([&](int cell) { return cell % grid.w < grid.w / 2; });
  if (grid.h > 1) cut([&](int cell) { return cell / grid.w < grid.h / 2; });
  return least;
}

// The place of each router of the first cube, on all of its networks.
std::unordered_map<NodeId, int> cells_of_cube(const Graph& graph) {
  std::unordered_map<NodeId, int> cells;
  for (int network = 0; network < graph.spec().cube.noc.networks(); ++network) {
    for (const auto& [cell, router] : ranges::views::enumerate(graph.cube(0, 0).noc))
      if (router.valid()) cells.emplace(graph.on_network(router, network), static_cast<int>(cell));
  }
  return cells;
}

}  // namespace

Bisections bisections(const Graph& graph) {
  const config::MachineSpec& spec = graph.spec();
  const std::unordered_map<NodeId, int> routers = cells_of_cube(graph);
  const auto router = [&](NodeId id) -> std::optional<int> {
    const auto found = routers.find(id);
    return found == routers.end() ? std::nullopt : std::optional{found->second};
  };
  const auto cube = [&](NodeId id) -> std::optional<int> {
    const PeCoord& at = graph.node(id).at;
    return at.sip == 0 && at.cube >= 0 ? std::optional{at.cube} : std::nullopt;
  };
  const auto sip = [&](NodeId id) -> std::optional<int> {
    const PeCoord& at = graph.node(id).at;
    return at.sip >= 0 ? std::optional{at.sip} : std::nullopt;
  };
  const SipGrid sips{spec.system.sips};
  const bool by_switches = !SipNetwork{spec.system.sips}.switches().empty();
  return {.noc = bisection(graph, {spec.cube.noc.w, spec.cube.noc.h, router}),
          .package = bisection(graph, {spec.sip.cube_mesh.w, spec.sip.cube_mesh.h, cube}),
          .system = by_switches ? std::nullopt : bisection(graph, {sips.width(), sips.height(), sip})};
}

}  // namespace kbsim::topology
