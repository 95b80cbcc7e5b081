#include <doctest/doctest.h>

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

/// The (row, column) of the router of each PE of a cube.
std::vector<std::pair<int, int>> places(const Counts& counts) {
  const Graph graph = graph_of(machine(counts));
  const CubeNodes& cube = graph.cube(0, 0);
  std::vector<std::pair<int, int>> found;
  for (const PeNodes& pe : cube.pes) {
    const auto cell = static_cast<int>(std::ranges::find(cube.noc, pe.router) - cube.noc.begin());
    found.emplace_back(cell / counts.noc.w, cell % counts.noc.w);
  }
  return found;
}

using Places = std::vector<std::pair<int, int>>;
const std::vector<config::Corner> kAll = config::PeLayoutSpec{}.corners;

}  // namespace

TEST_CASE("Layout: PEs sit side by side from their corner inwards, in the order of the corners") {
  CHECK(places({.noc = {.w = 4, .h = 4}, .corners = kAll, .pe_per_corner = 2}) ==
        Places{{0, 0}, {0, 1}, {0, 3}, {0, 2}, {3, 0}, {3, 1}, {3, 3}, {3, 2}});
  CHECK(places({.noc = {.w = 5, .h = 3},
                .corners = {config::Corner::SE, config::Corner::NW},
                .pe_per_corner = 2}) == Places{{2, 4}, {2, 3}, {0, 0}, {0, 1}});
}

TEST_CASE("Layout: more PEs than half a row share its routers evenly") {
  CHECK(places({.noc = {.w = 4, .h = 2}, .corners = {config::Corner::NW}, .pe_per_corner = 5}) ==
        Places{{0, 0}, {0, 1}, {0, 0}, {0, 1}, {0, 0}});
  CHECK(places({.noc = {.w = 2, .h = 1}, .corners = {config::Corner::NE}, .pe_per_corner = 2}) ==
        Places{{0, 1}, {0, 1}});
}

TEST_CASE("Layout: on one router all PEs meet") {
  CHECK(places({.corners = kAll, .pe_per_corner = 1}) == Places{{0, 0}, {0, 0}, {0, 0}, {0, 0}});
}

TEST_CASE("Layout: cubes lie row by row below the IO chiplet, routers in the middle of their cells") {
  const Graph graph = graph_of(machine({.cubes = {.w = 2, .h = 2}, .noc = {.w = 2, .h = 1}}));
  const auto pos = [&](int cube, int cell) {
    const Point p = graph.node(graph.cube(0, cube).noc[static_cast<std::size_t>(cell)]).pos_mm;
    return std::pair{p.x, p.y};
  };
  CHECK(pos(0, 0) == std::pair{2.5, 15.0});
  CHECK(pos(0, 1) == std::pair{7.5, 15.0});
  CHECK(pos(1, 0) == std::pair{12.5, 15.0});
  CHECK(pos(2, 0) == std::pair{2.5, 25.0});
}

TEST_CASE("Layout: no two packages overlap") {
  const Graph graph =
      graph_of(machine({.sips = 6, .joined = config::SipTopology::torus_2d, .cubes = {.w = 3, .h = 2}}));
  const auto origin = [&](int sip) {
    const Point p = graph.node(graph.sips()[static_cast<std::size_t>(sip)].pcie_ep).pos_mm;
    return std::pair{p.x, p.y};
  };
  CHECK(origin(0) == std::pair{0.0, 0.0});
  CHECK(origin(1) == std::pair{45.0, 0.0});  // 3 cubes of 10 mm, and half of that between packages
  CHECK(origin(3) == std::pair{0.0, 45.0});  // an IO chiplet and 2 cubes, and half of that
}

TEST_CASE("Layout: a UCIe port stands at the middle of its side") {
  const Graph graph = graph_of(machine({.noc = {.w = 5, .h = 3}}));
  const CubeNodes& cube = graph.cube(0, 0);
  const auto router = [&](Side side) {
    return graph.node(graph.link(graph.out(cube.ucie[index(side)]).front()).to).name;
  };
  CHECK(router(Side::east) == "sip0.cube0.noc.r1_4");
  CHECK(router(Side::west) == "sip0.cube0.noc.r1_0");
  CHECK(router(Side::north) == "sip0.cube0.noc.r0_2");
  CHECK(router(Side::south) == "sip0.cube0.noc.r2_2");
}
