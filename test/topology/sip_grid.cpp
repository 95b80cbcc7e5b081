#include "kbsim/topology/sip_grid.hpp"

#include <cstdlib>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

using namespace kbsim;
using namespace kbsim::topology;
using config::SipTopology;

namespace {

SipGrid grid(SipTopology topology, int count, int w = 0, int h = 0) {
  return SipGrid{{.count = count, .topology = topology, .w = w, .h = h}};
}

/// The neighbours E, W, N, S of a package; -1 where there is none.
std::vector<int> around(const SipGrid& grid, int sip) {
  std::vector<int> peers;
  for (const Side side : kSides) peers.push_back(grid.neighbour(sip, side).value_or(-1));
  return peers;
}

/// The packages on the way, the first one not included.
std::vector<int> walk(const SipGrid& grid, int from, int to) {
  std::vector<int> visited;
  while (from != to && visited.size() < 1000) {
    from = grid.neighbour(from, grid.next_side(from, to)).value();
    visited.push_back(from);
  }
  return visited;
}

int axis_distance(int a, int b, int n, bool wraps) {
  const int straight = std::abs(a - b);
  return wraps ? std::min(straight, n - straight) : straight;
}

}  // namespace

TEST_CASE("SipGrid: a ring is one row that wraps") {
  const SipGrid ring = grid(SipTopology::ring_1d, 5);
  CHECK(ring.width() == 5);
  CHECK(ring.height() == 1);
  CHECK(around(ring, 0) == std::vector{1, 4, -1, -1});
  CHECK(around(ring, 4) == std::vector{0, 3, -1, -1});
}

TEST_CASE("SipGrid: a package is never its own neighbour") {
  for (const SipTopology topology :
       {SipTopology::ring_1d, SipTopology::torus_2d, SipTopology::mesh_2d, SipTopology::mesh_2d_no_wrap}) {
    CHECK(around(grid(topology, 1), 0) == std::vector{-1, -1, -1, -1});
  }
  CHECK(around(grid(SipTopology::torus_2d, 3, 1, 3), 0) == std::vector{-1, -1, 2, 1});
}

TEST_CASE("SipGrid: two in a row that wraps are neighbours on both sides") {
  CHECK(around(grid(SipTopology::ring_1d, 2), 0) == std::vector{1, 1, -1, -1});
  CHECK(around(grid(SipTopology::torus_2d, 4), 0) == std::vector{1, 1, 2, 2});
}

TEST_CASE("SipGrid: a 2-D grid numbers its packages row by row, and wraps by default") {
  CHECK(around(grid(SipTopology::torus_2d, 6, 3, 2), 0) == std::vector{1, 2, 3, 3});
  CHECK(around(grid(SipTopology::mesh_2d, 6, 3, 2), 5) == std::vector{3, 4, 2, 2});
  CHECK(around(grid(SipTopology::mesh_2d_no_wrap, 6, 3, 2), 0) == std::vector{1, -1, -1, 3});
  CHECK(around(grid(SipTopology::mesh_2d_no_wrap, 6, 3, 2), 5) == std::vector{-1, 4, 2, -1});
}

TEST_CASE("SipGrid: without a stated size it is the squarest that fits, wider than high") {
  const auto extent = [](int count) {
    const SipGrid g = grid(SipTopology::torus_2d, count);
    return std::pair{g.width(), g.height()};
  };
  CHECK(extent(16) == std::pair{4, 4});
  CHECK(extent(12) == std::pair{4, 3});
  CHECK(extent(7) == std::pair{7, 1});
  CHECK(extent(256) == std::pair{16, 16});
}

TEST_CASE("SipGrid: a stated size that doesn't hold the packages is a broken invariant") {
  CHECK_THROWS_AS(grid(SipTopology::torus_2d, 6, 4, 4), InternalError);
}

TEST_CASE("SipGrid: it goes the shorter way round, east and south if both are equally long") {
  CHECK(walk(grid(SipTopology::ring_1d, 5), 0, 2) == std::vector{1, 2});
  CHECK(walk(grid(SipTopology::ring_1d, 5), 0, 3) == std::vector{4, 3});
  CHECK(walk(grid(SipTopology::ring_1d, 4), 3, 1) == std::vector{0, 1});
  CHECK(walk(grid(SipTopology::ring_1d, 2), 1, 0) == std::vector{0});
  CHECK(grid(SipTopology::ring_1d, 2).next_side(1, 0) == Side::east);
  CHECK(grid(SipTopology::torus_2d, 4).next_side(2, 0) == Side::south);
}

TEST_CASE("SipGrid: it goes X first") {
  CHECK(walk(grid(SipTopology::mesh_2d_no_wrap, 6, 3, 2), 0, 5) == std::vector{1, 2, 5});
  CHECK(walk(grid(SipTopology::torus_2d, 9), 0, 8) == std::vector{2, 8});
}

TEST_CASE("SipGrid: no side leads from a package to itself") {
  CHECK_THROWS_AS((void)grid(SipTopology::ring_1d, 3).next_side(1, 1), InternalError);
}

TEST_CASE("SipGrid: neighbours are mutual, and every way is as short as the grid allows") {
  for (const SipTopology topology :
       {SipTopology::ring_1d, SipTopology::torus_2d, SipTopology::mesh_2d_no_wrap}) {
    for (int count = 1; count <= 24; ++count) {
      CAPTURE(topology);
      CAPTURE(count);
      const SipGrid g = grid(topology, count);
      const bool wraps = topology != SipTopology::mesh_2d_no_wrap;
      const int w = g.width();
      for (int a = 0; a < count; ++a) {
        for (const Side side : kSides) {
          if (const auto peer = g.neighbour(a, side)) CHECK(g.neighbour(*peer, opposite(side)) == a);
        }
        for (int b = 0; b < count; ++b) {
          const int steps =
              axis_distance(a % w, b % w, w, wraps) + axis_distance(a / w, b / w, g.height(), wraps);
          CHECK(static_cast<int>(walk(g, a, b).size()) == steps);
        }
      }
    }
  }
}
