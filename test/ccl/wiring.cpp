#include "kbsim/ccl/wiring.hpp"

#include <doctest/doctest.h>

#include "kbsim/ccl/mapper.hpp"

#include "plans.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

Wiring cube_mesh(const config::MachineSpec& spec, const std::string& mapper = "cube_leaders") {
  return topologies().at("cube_mesh").wire(spec, mappers().at(mapper).participants(spec));
}

using Neighbours = std::vector<Neighbour>;

}  // namespace

TEST_CASE("cube_mesh: a cube's neighbours are E, W, N, S, where there are any") {
  const Wiring wiring = cube_mesh(machine(1, 3, 2));
  CHECK(wiring.size() == 6);
  CHECK(wiring.at({.cube = 0}) == Neighbours{{"E", {.cube = 1}}, {"S", {.cube = 3}}});
  CHECK(wiring.at({.cube = 4}) == Neighbours{{"E", {.cube = 5}}, {"W", {.cube = 3}}, {"N", {.cube = 1}}});
  CHECK(wiring.at({.cube = 5}) == Neighbours{{"W", {.cube = 4}}, {"N", {.cube = 2}}});
}

TEST_CASE("cube_mesh: a single cube on a single package has no neighbours, but takes part") {
  const Wiring wiring = cube_mesh(machine(1));
  CHECK(wiring == Wiring{{PeCoord{}, {}}});
}

TEST_CASE("cube_mesh: packages are neighbours as system.sips.topology joins them") {
  config::MachineSpec spec = machine(6);
  spec.system.sips = {.count = 6, .topology = config::SipTopology::mesh_2d_no_wrap, .w = 3, .h = 2};
  CHECK(cube_mesh(spec).at({.sip = 0}) == Neighbours{{"global_E", {.sip = 1}}, {"global_S", {.sip = 3}}});
  spec.system.sips.topology = config::SipTopology::torus_2d;
  CHECK(cube_mesh(spec).at({.sip = 0}) == Neighbours{{"global_E", {.sip = 1}},
                                                     {"global_W", {.sip = 2}},
                                                     {"global_N", {.sip = 3}},
                                                     {"global_S", {.sip = 3}}});
  spec.system.sips.topology = config::SipTopology::ring_1d;
  CHECK(cube_mesh(spec).at({.sip = 5}) == Neighbours{{"global_E", {.sip = 0}}, {"global_W", {.sip = 4}}});
}

TEST_CASE("cube_mesh: with all PEs each has the same PE of the next cube and package as neighbour") {
  const Wiring wiring = cube_mesh(machine(2, 2, 1), "all_pes");
  CHECK(wiring.size() == 2 * 2 * 8);
  CHECK(wiring.at({.sip = 1, .cube = 1, .pe = 5}) ==
        Neighbours{{"W", {.sip = 1, .cube = 0, .pe = 5}},
                   {"global_E", {.sip = 0, .cube = 1, .pe = 5}},
                   {"global_W", {.sip = 0, .cube = 1, .pe = 5}}});
}

TEST_CASE("cube_mesh: a PE that doesn't take part is no neighbour") {
  const std::vector<PeCoord> two{{.cube = 0}, {.cube = 1}};
  const Wiring wiring = topologies().at("cube_mesh").wire(machine(2, 2, 2), two);
  CHECK(wiring == Wiring{{two[0], {{"E", two[1]}}}, {two[1], {{"W", two[0]}}}});
}

TEST_CASE("line_of_pes, line_of_cubes: each has the next one E and the one before W, and no line closes") {
  const config::MachineSpec spec = machine(2, 3, 1);
  const auto wired = [&](const char* topology) {
    return topologies().at(topology).wire(spec, mappers().at("all_pes").participants(spec));
  };
  const Wiring pes = wired("line_of_pes");
  const Wiring cubes = wired("line_of_cubes");
  CHECK(pes.size() == 2 * 3 * 8);
  for (const auto& [at, to] : pes) {
    Neighbours expected;
    if (at.pe < 7) expected.push_back({"E", {at.sip, at.cube, at.pe + 1}});
    if (at.pe > 0) expected.push_back({"W", {at.sip, at.cube, at.pe - 1}});
    CHECK(to == expected);
    expected.clear();
    if (at.cube < 2) expected.push_back({"E", {at.sip, at.cube + 1, at.pe}});
    if (at.cube > 0) expected.push_back({"W", {at.sip, at.cube - 1, at.pe}});
    CHECK(cubes.at(at) == expected);
  }
}

TEST_CASE("wire_ranks: labels are texts that a topology makes as it likes") {
  const std::vector<PeCoord> participants{{0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
  const ccl::Wiring wiring = ccl::wire_ranks(participants, [](int rank) {
    std::vector<ccl::RankNeighbour> to;
    for (int other = 0; other < 4; ++other) {
      if (other != rank) to.push_back({"to_rank_" + std::to_string(other), other});
    }
    return to;
  });
  REQUIRE(wiring.size() == 3);
  CHECK(wiring.at({1, 1, 0}) ==
        std::vector<ccl::Neighbour>{{"to_rank_0", {0, 1, 0}}, {"to_rank_2", {2, 1, 0}}});
}

TEST_CASE("Topologies: all that are registered say what they are, and wire any machine mutually") {
  for (const auto& [name, topology] : topologies().entries()) {
    if (name.starts_with("test_")) continue;
    CAPTURE(name);
    CHECK(!topology.doc.empty());
    for (const config::MachineSpec& spec : machines()) {
      const Wiring wiring = topology.wire(spec, mappers().at("cube_leaders").participants(spec));
      for (const auto& [at, neighbours] : wiring) {
        for (const Neighbour& to : neighbours) {
          const std::string back = reverse_direction(wiring, at, to);
          const Neighbour there{.direction = back, .peer = at, .flow = answer(to.flow)};
          CHECK(reverse_direction(wiring, to.peer, there) == to.direction);
        }
      }
    }
  }
}

TEST_CASE(
    "ring_1d: each goes on to the next package of the closed walk, where there is one; else by number") {
  config::MachineSpec spec = machine(4);
  const auto east_of = [&](const char* topology, int sip) {
    const Wiring wiring =
        topologies().at(topology).wire(spec, mappers().at("leader_only").participants(spec));
    return wiring.at({.sip = sip}).front().peer.sip;
  };
  CHECK(east_of("ring_1d", 1) == 2);
  spec.system.sips.topology = config::SipTopology::torus_2d;
  CHECK(ring_of_ranks(spec) == std::vector{0, 1, 3, 2});
  for (const char* ring : {"ring_1d", "ring_1d_unidir"}) {
    CHECK(east_of(ring, 1) == 3);
    CHECK(east_of(ring, 2) == 0);
  }
  CHECK(east_of("ring_by_rank", 1) == 2);
  spec.system.sips = {.count = 3, .topology = config::SipTopology::mesh_2d_no_wrap, .w = 3, .h = 1};
  CHECK(ring_of_ranks(spec) == std::vector{0, 1, 2});
}
