#include "kbsim/topology/longest_path.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "random_machine.hpp"

using namespace kbsim;
using namespace kbsim::topology;
using kbsim::test::any_machine;
using kbsim::test::compiled;

namespace {

// By kind, as component models are: some different number for each.
std::vector<Time> overheads(const Graph& graph) {
  std::vector<Time> result;
  for (const Node& node : graph.nodes()) result.push_back(Time{100 * (1 + static_cast<int>(node.kind) % 7)});
  return result;
}

std::vector<NodeId> all_dmas(const Graph& graph) {
  std::vector<NodeId> result;
  for (const SipNodes& sip : graph.sips()) {
    for (const CubeNodes& cube : sip.cubes) {
      for (const PeNodes& pe : cube.pes) result.push_back(pe.dma);
    }
  }
  return result;
}

config::MachineSpec one_cube(int w, int h) {
  config::MachineSpec spec;
  spec.system.sips.count = 1;
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.cube.noc.w = w;
  spec.cube.noc.h = h;
  return spec;
}

}  // namespace

TEST_CASE("farthest: no pair of any machine's PEs is farther apart") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const Graph graph = compiled(any_machine(seed));
    const std::vector<Time> overhead = overheads(graph);
    int hops = 0;
    Time latency{};
    for (const NodeId from : all_dmas(graph)) {
      for (const NodeId to : all_dmas(graph)) {
        if (from == to) continue;
        const PathCost cost = path_cost(graph, overhead, from, to, 0_B);
        hops = std::max(hops, cost.hops);
        latency = std::max(latency, cost.latency());
      }
    }
    const auto found = farthest(graph, overhead);
    REQUIRE(found.has_value() == (all_dmas(graph).size() > 1));
    if (!found) continue;
    CHECK(found->diameter == hops);
    CHECK(found->path.overhead + found->path.wire == latency);
  }
}

TEST_CASE("farthest: across one cube it is the mesh from corner to corner") {
  for (const auto& [w, h] : {std::pair{4, 4}, {6, 2}, {3, 5}}) {
    const Graph graph = compiled(one_cube(w, h));
    std::vector<Time> overhead(graph.nodes().size(), 1_ns);
    const auto found = farthest(graph, overhead);
    REQUIRE(found);
    CHECK(found->diameter == (w - 1) + (h - 1) + 2);
    CHECK(found->path.overhead == found->diameter * 1_ns);
    CHECK(found->path.drain == serialization(16_B, Bandwidth::gbs(256.0)));
    CHECK(found->path.latency() == found->path.overhead + found->path.wire + found->path.drain);
  }
}

TEST_CASE("farthest: one PE has no other to be far from") {
  config::MachineSpec spec = one_cube(2, 2);
  spec.cube.pe_layout = {.corners = {config::Corner::NW}, .pe_per_corner = 1};
  const Graph graph = compiled(spec);
  CHECK_FALSE(farthest(graph, overheads(graph)));
}

TEST_CASE("path_cost: the slowest link drains") {
  const Graph graph = compiled({});
  const std::vector<Time> overhead(graph.nodes().size());
  const PathCost cost = path_cost(graph, overhead, graph.pe({0, 0, 0}).dma, graph.pe({1, 0, 0}).dma, 4096_B);
  CHECK(cost.drain == serialization(4096_B, graph.spec().system.sips.link.bandwidth));
  CHECK(cost.overhead == 0_ns);
}
