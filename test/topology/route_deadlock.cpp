#include <map>
#include <set>

#include <doctest/doctest.h>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/indices.hpp>

#include "kbsim/topology/traffic_network.hpp"

#include "machines.hpp"
#include "sanitized.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

/// A buffer that a message holds while it asks for the next: a link, and which virtual channel of it.
using Buffer = std::pair<LinkId, int>;
using Waits = std::map<Buffer, std::set<Buffer>>;

/// True if the link leads from a cube, or the IO chiplet, to the next one in its column.
bool crosses_north_or_south(const Graph& graph, LinkId id) {
  const Node& from = graph.node(graph.link(id).from);
  const Node& to = graph.node(graph.link(id).to);
  const bool sideways = from.name.ends_with("_e") || from.name.ends_with("_w");
  return from.kind == NodeKind::ucie && to.kind == NodeKind::ucie && !sideways;
}

/// Waits between buffers if every end of the machine sends to every other, and every buffer is finite.
Waits waits(const Graph& graph, bool second_channel) {
  Waits next;
  Routes routes{graph};
  const std::vector<NodeId> all = ends(graph);
  for (const NodeId from : all) {
    for (const NodeId to : all) {
      int channel = 0;
      const Buffer* held = nullptr;
      for (const LinkId id : routes(from, to)) {
        if (second_channel && crosses_north_or_south(graph, id)) channel = 1;
        const auto here = next.try_emplace({id, channel}).first;
        if (held != nullptr) next.at(*held).insert(here->first);
        held = &here->first;
      }
    }
  }
  return next;
}

/// The same if only routers have finite buffers: other nodes always accept packets.
Waits waits_at_routers(const Graph& graph, const std::vector<NodeId>& all, bool by_phase, int networks = 1) {
  Waits next;
  for (const auto [from, to, network] :
       ranges::views::cartesian_product(all, all, ranges::views::indices(networks))) {
    if (from == to) continue;
    const Buffer* held = nullptr;
    const Route route = find_route(graph, from, to, network);
    const std::vector<std::uint8_t> phase = phases(graph, route);
    for (std::size_t i = 0; i < route.size(); ++i) {
      const bool finite = graph.node(graph.link(route[i]).to).kind == NodeKind::router;
      const Buffer* here =
          finite ? &next.try_emplace({route[i], by_phase ? phase[i] : 0}).first->first : nullptr;
      if (held != nullptr && here != nullptr) next.at(*held).insert(*here);
      held = here;
    }
  }
  return next;
}

/// Whether a topological sort leaves anything over.
bool has_cycle(const Waits& next) {
  std::map<Buffer, int> waiters;
  for (const auto& [buffer, wanted] : next) {
    for (const Buffer& other : wanted) ++waiters[other];
  }
  std::vector<Buffer> free;
  for (const auto& [buffer, wanted] : next) {
    if (!waiters.contains(buffer)) free.push_back(buffer);
  }
  std::size_t sorted = 0;
  for (; sorted < free.size(); ++sorted) {
    const Buffer buffer = free[sorted];
    for (const Buffer& other : next.at(buffer)) {
      if (--waiters[other] == 0) free.push_back(other);
    }
  }
  return sorted < next.size();
}

Graph package(config::ExtentSpec cubes, config::ExtentSpec noc) {
  return graph_of(
      machine({.cubes = cubes,
               .noc = noc,
               .corners = {config::Corner::NW, config::Corner::NE, config::Corner::SW, config::Corner::SE}}));
}

const std::vector<config::ExtentSpec> kNocs{{1, 1}, {2, 1}, {1, 3}, {2, 2}, {4, 1}, {3, 4}, {4, 4}};

}  // namespace

TEST_CASE("Routes: in one cube, one row or one column of cubes nothing waits in a circle") {
  for (const config::ExtentSpec cubes : {config::ExtentSpec{1, 1}, {3, 1}, {1, 3}}) {
    for (const config::ExtentSpec noc : kNocs) {
      CAPTURE(noc.w);
      CAPTURE(noc.h);
      CHECK(!has_cycle(waits(package(cubes, noc), false)));
    }
  }
}

TEST_CASE("Routes: in a mesh of cubes nothing waits in a circle, given a second channel from the turn on" *
          doctest::skip(kbsim::test::kSanitized)) {
  for (const config::ExtentSpec cubes : {config::ExtentSpec{2, 2}, {3, 3}}) {
    for (const config::ExtentSpec noc : kNocs) {
      CAPTURE(noc.w);
      CAPTURE(noc.h);
      CHECK(!has_cycle(waits(package(cubes, noc), true)));
    }
  }
}

TEST_CASE("Routes: one channel isn't enough for a mesh of cubes, X before Y on both levels or not") {
  CHECK(has_cycle(waits(package({.w = 2, .h = 2}, {.w = 4, .h = 4}), false)));
}

TEST_CASE("Routes: with finite buffers at routers only, nothing waits in a circle anywhere in a machine") {
  for (const config::SipTopology topology :
       {config::SipTopology::ring_1d, config::SipTopology::torus_2d, config::SipTopology::mesh_2d,
        config::SipTopology::mesh_2d_no_wrap, config::SipTopology::ring_1d_unidir,
        config::SipTopology::tree_binary, config::SipTopology::all_pairs,
        config::SipTopology::doubling_distances}) {
    CAPTURE(topology);
    config::MachineSpec spec =
        machine({.cubes = {.w = 3, .h = 2}, .noc = {.w = 2, .h = 3}, .corners = {config::Corner::NW}});
    spec.system.sips.count = kbsim::test::kSanitized ? 4 : 9;
    spec.system.sips.topology = topology;
    for (const char* routing : {"builtin.xy", "builtin.yx", "builtin.table"}) {
      CAPTURE(routing);
      if (topology != config::SipTopology::torus_2d && spec.system.routing.impl != routing) continue;
      spec.system.routing.impl = routing;
      const Graph graph = graph_of(spec);
      CHECK(!has_cycle(waits_at_routers(graph, ends(graph), false)));
    }
  }
}

TEST_CASE("Routes: rings and tori of routers need a second phase past the dateline, and it suffices") {
  for (const char* routing : {"builtin.xy", "builtin.yx"}) {
    config::MachineSpec spec;
    spec.system.routing.impl = routing;
    for (const char* scope : {"ring:4", "ring:7", "torus:4x4", "torus:3x5"}) {
      CAPTURE(routing);
      CAPTURE(scope);
      const TrafficNetwork network = traffic_network(spec, scope);
      CHECK(network.graph.phases() == 2);
      CHECK(!has_cycle(waits_at_routers(network.graph, network.sources, true)));
      CHECK(has_cycle(waits_at_routers(network.graph, network.sources, false)));
    }
  }
}

TEST_CASE("Routes: on rings, one-way rings and round holes of a floor plan nothing waits in a circle") {
  using enum config::NocLinks;
  config::MachineSpec spec = machine({.cubes = {.w = 2, .h = 2}, .noc = {.w = 4, .h = 3}});
  spec.cube.floorplan.pe.at = {{.x = 0, .y = 0}, {.x = 3, .y = 1}, {.x = 1, .y = 2}};
  spec.cube.floorplan.hbm.channels = {{.at = {{.x = 0, .y = 1}, {.x = 3, .y = 2}}},
                                      {.at = {{.x = 2, .y = 0}}}};
  spec.cube.noc.wrap = true;
  for (const config::NocLinks links : {both, east_south, north_west}) {
    CAPTURE(links);
    spec.cube.noc.links = {links};
    const Graph graph = graph_of(spec);
    CHECK(graph.phases() == 2);
    CHECK(!has_cycle(waits_at_routers(graph, ends(graph), true)));
    // With few ends, routes the shorter way round a ring of four never close a circle.
    if (links != both) CHECK(has_cycle(waits_at_routers(graph, ends(graph), false)));
  }
  spec.cube.noc.links = {east_south, north_west, both};
  const Graph three = graph_of(spec);
  CHECK(!has_cycle(waits_at_routers(three, ends(three), true, 3)));
  spec.cube.noc.links = {both};
  spec.cube.floorplan.map = {"....", ".#..", "..#."};
  spec.cube.floorplan.m_cpu.at = spec.cube.floorplan.sram.at = {{.x = 0, .y = 2}};
  spec.cube.floorplan.port = {
      .e = {{.x = 3, .y = 1}}, .w = {{.x = 0, .y = 1}}, .n = {{.x = 2, .y = 0}}, .s = {{.x = 3, .y = 2}}};
  for (const bool wrap : {false, true}) {
    spec.cube.noc.wrap = wrap;
    const Graph graph = graph_of(spec);
    CHECK(!has_cycle(waits_at_routers(graph, ends(graph), false)));
  }
}

TEST_CASE("Routes: on a mesh nothing waits in a circle, whatever the builtin routing") {
  for (const char* routing : {"builtin.xy", "builtin.yx", "builtin.table"}) {
    CAPTURE(routing);
    config::MachineSpec spec;
    spec.system.routing.impl = routing;
    const TrafficNetwork mesh = traffic_network(spec, "mesh:5x4");
    CHECK(mesh.graph.phases() == 1);
    CHECK(!has_cycle(waits_at_routers(mesh.graph, mesh.sources, false)));
  }
}
