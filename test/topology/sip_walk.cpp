#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "kbsim/topology/sip_grid.hpp"

using namespace kbsim;
using namespace kbsim::topology;
using config::SipTopology;

namespace {

std::vector<int> walk_of(SipTopology topology, int w, int h) {
  return SipGrid{{.count = w * h, .topology = topology, .w = w, .h = h}}.closed_walk();
}

bool are_neighbours(const SipGrid& grid, int a, int b) {
  return std::ranges::any_of(kSides, [&](Side side) { return grid.neighbour(a, side) == b; });
}

}  // namespace

TEST_CASE(
    "SipGrid: a closed walk comes to each package once, from neighbour to neighbour, from package 0 on") {
  for (const SipTopology topology :
       {SipTopology::torus_2d, SipTopology::mesh_2d, SipTopology::mesh_2d_no_wrap}) {
    for (int w = 1; w <= 9; ++w) {
      for (int h = 1; h <= 9; ++h) {
        CAPTURE(topology);
        CAPTURE(w);
        CAPTURE(h);
        const SipGrid grid{{.count = w * h, .topology = topology, .w = w, .h = h}};
        const std::vector<int> walk = grid.closed_walk();
        const bool wraps = topology != SipTopology::mesh_2d_no_wrap;
        const bool there = wraps || w * h <= 2 || (w > 1 && h > 1 && w * h % 2 == 0);
        CHECK(walk.empty() != there);
        if (walk.empty()) continue;
        CHECK(walk.front() == 0);
        CHECK(std::set(walk.begin(), walk.end()).size() == walk.size());
        CHECK(walk.size() == static_cast<std::size_t>(w * h));
        for (std::size_t i = 0; i < walk.size() && walk.size() > 1; ++i)
          CHECK(are_neighbours(grid, walk[i], walk[(i + 1) % walk.size()]));
      }
    }
  }
}

TEST_CASE("SipGrid: in one dimension the walk is by number") {
  CHECK(walk_of(SipTopology::torus_2d, 4, 1) == std::vector{0, 1, 2, 3});
  CHECK(SipGrid{{.count = 3, .topology = SipTopology::ring_1d}}.closed_walk() == std::vector{0, 1, 2});
}

TEST_CASE("SipGrid: two by two packages are walked round") {
  CHECK(walk_of(SipTopology::torus_2d, 2, 2) == std::vector{0, 1, 3, 2});
  CHECK(walk_of(SipTopology::mesh_2d_no_wrap, 2, 2) == std::vector{0, 1, 3, 2});
}
