#include <optional>

#include <doctest/doctest.h>

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

enum class Axis { x, y };

/// The axis of the step between two places: NOC routers in a cube, or cubes in the mesh.
Axis axis_of(Point a, Point b) { return a.x != b.x ? Axis::x : Axis::y; }

bool same_cube(const Node& a, const Node& b) { return a.at.sip == b.at.sip && a.at.cube == b.at.cube; }

bool is_cube_router(const Node& node) { return node.kind == NodeKind::router && node.at.cube >= 0; }

/// The steps of a path over the NOC of one cube after the other, a list for each cube.
std::vector<std::vector<Axis>> noc_steps(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::vector<Axis>> cubes;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const Node& a = graph.node(nodes[i]);
    const Node& b = graph.node(nodes[i + 1]);
    if (is_cube_router(a) && is_cube_router(b)) {
      if (i == 0 || cubes.empty() || !is_cube_router(graph.node(nodes[i - 1]))) cubes.emplace_back();
      cubes.back().push_back(axis_of(a.pos_mm, b.pos_mm));
    }
  }
  return cubes;
}

/// The steps within one package from cube to cube, the IO NOC counting as the row above them.
std::vector<std::vector<Axis>> mesh_steps(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::vector<Axis>> packages(1);
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const Node& a = graph.node(nodes[i]);
    const Node& b = graph.node(nodes[i + 1]);
    if (a.at.sip != b.at.sip)
      packages.emplace_back();
    else if (!same_cube(a, b))
      packages.back().push_back(a.name.ends_with("_e") || a.name.ends_with("_w") ? Axis::x : Axis::y);
    else if (a.at.cube < 0 && a.kind == NodeKind::router && b.kind == NodeKind::router)
      packages.back().push_back(Axis::x);
  }
  return packages;
}

void check_x_before_y(const std::vector<std::vector<Axis>>& segments) {
  for (const std::vector<Axis>& steps : segments) CHECK(std::ranges::is_sorted(steps));
}

}  // namespace

TEST_CASE("path: X before Y on every cube's NOC, and on the mesh of cubes of every package") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const Graph graph = graph_of(random_machine(seed));
    const std::vector<NodeId> all = ends(graph);
    Dice dice{seed};
    for (int i = 0; i < 200; ++i) {
      const NodeId from = dice.one_of(all);
      const NodeId to = dice.one_of(all);
      INFO(path_names(graph, from, to));
      const std::vector<NodeId> nodes = path(graph, from, to);
      check_x_before_y(noc_steps(graph, nodes));
      check_x_before_y(mesh_steps(graph, nodes));
    }
  }
}
