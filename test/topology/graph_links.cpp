#include <cmath>
#include <set>
#include <utility>

#include <doctest/doctest.h>

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

double manhattan(Point a, Point b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y); }

bool is_mesh_link(const Graph& graph, const Link& link) {
  const Node& from = graph.node(link.from);
  const Node& to = graph.node(link.to);
  return from.kind == NodeKind::router && to.kind == NodeKind::router && from.at.cube >= 0;
}

}  // namespace

TEST_CASE("Graph: every link has an opposite of equal bandwidth, length and delay") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const Graph graph = graph_of(random_machine(seed));
    for (const Link& link : graph.links()) {
      REQUIRE(link.from != link.to);
      const Link& back = graph.link(graph.link_between(link.to, link.from));
      CHECK(back.bandwidth == link.bandwidth);
      CHECK(back.length_mm == link.length_mm);
      CHECK(back.wire == link.wire);
    }
  }
}

TEST_CASE("Graph: two nodes have at most one link in each direction") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const Graph graph = graph_of(random_machine(seed));
    std::set<std::pair<NodeId, NodeId>> joined;
    for (const Link& link : graph.links()) CHECK(joined.insert({link.from, link.to}).second);
  }
}

TEST_CASE("Graph: the links out of a node are those that leave it, each once, in the order of their ids") {
  const Graph graph = graph_of(random_machine(1));
  std::size_t seen = 0;
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i) {
    const std::span<const LinkId> out = graph.out(NodeId{i});
    CHECK(std::ranges::is_sorted(out));
    for (const LinkId id : out) CHECK(graph.link(id).from == NodeId{i});
    seen += out.size();
  }
  CHECK(seen == graph.links().size());
}

TEST_CASE("Graph: a wire's delay is its length times ns_per_mm, to the nearest picosecond") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const config::MachineSpec spec = random_machine(seed);
    const Graph graph = graph_of(spec);
    for (const Link& link : graph.links()) {
      const double ps = link.length_mm * spec.system.ns_per_mm * 1000.0;
      CHECK(std::abs(static_cast<double>(link.wire.count()) - ps) <= 0.5 + 1e-9);
    }
  }
}

TEST_CASE("Graph: the lengths of links whose ends lie apart in a cube are Manhattan, to the nanometre") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const Graph graph = graph_of(random_machine(seed));
    for (const Link& link : graph.links()) {
      const Node& from = graph.node(link.from);
      const Node& to = graph.node(link.to);
      if (from.at.cube < 0 || from.at.cube != to.at.cube || from.at.sip != to.at.sip) continue;
      CHECK(link.length_mm == doctest::Approx(manhattan(from.pos_mm, to.pos_mm)).epsilon(1e-6));
    }
  }
}

TEST_CASE("Graph: links between dies, packages and to the host have the lengths of the topology file") {
  const Graph graph = graph_of(machine({.sips = 2, .cubes = {.w = 2, .h = 1}}));
  const SipNodes& sip = graph.sips()[0];
  const auto length = [&](NodeId a, NodeId b) { return graph.link(graph.link_between(a, b)).length_mm; };
  const auto port = [&](int cube, Side side) { return graph.cube(0, cube).ucie[index(side)]; };
  CHECK(length(graph.host(), graph.pcie_switch()) == 300.0);
  CHECK(length(graph.pcie_switch(), sip.pcie_ep) == 300.0);
  CHECK(length(sip.pcie_ep, sip.io_noc[0]) == 2.0);
  CHECK(length(sip.io_ucie[1], port(1, Side::north)) == 1.0);
  CHECK(length(port(0, Side::east), port(1, Side::west)) == 1.0);
  CHECK(length(sip.ports[index(Side::east)], graph.sips()[1].ports[index(Side::west)]) == 100.0);
}

TEST_CASE("Graph: equal wires have equal delays in every cube and direction, even at half a picosecond") {
  config::MachineSpec spec = machine({.sips = 4,
                                      .joined = config::SipTopology::torus_2d,
                                      .cubes = {.w = 3, .h = 3},
                                      .noc = {.w = 4, .h = 4}});
  spec.sip.cube_size = {.w_mm = 10.2, .h_mm = 10.2};  // 2.55 mm, 25.5 ps a hop
  const Graph graph = graph_of(spec);
  std::set<Time> delays;
  for (const Link& link : graph.links()) {
    if (is_mesh_link(graph, link)) delays.insert(link.wire);
  }
  CHECK(delays.size() == 1);
}
