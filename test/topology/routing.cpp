// Routes of messages: the routings by name, their lengths and mirror images, and parts of one's own.
#include <algorithm>
#include <deque>
#include <map>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/i_routing.hpp"
#include "kbsim/topology/router_grid.hpp"
#include "kbsim/topology/traffic_network.hpp"

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

config::MachineSpec routed(config::MachineSpec spec, const std::string& routing) {
  spec.system.routing.impl = routing;
  return spec;
}

/// Between two equally long routes round, east and south win in both directions: there is no mirror image.
config::MachineSpec without_ties(config::MachineSpec spec) {
  spec.system.sips.topology = config::SipTopology::mesh_2d_no_wrap;
  return spec;
}

struct Sample {
  NodeId from;
  NodeId to;
};

std::vector<Sample> samples(const Graph& graph, unsigned seed) {
  Dice dice{seed};
  const std::vector<NodeId> all = ends(graph);
  std::vector<Sample> pairs;
  for (int i = 0; i < 100; ++i) pairs.push_back({dice.one_of(all), dice.one_of(all)});
  return pairs;
}

/// Links from `from` to each router, through routers and ports only.
std::map<NodeId, std::size_t> distances(const Graph& graph, NodeId from) {
  std::map<NodeId, std::size_t> links{{from, 0}};
  for (std::deque<NodeId> open{from}; !open.empty(); open.pop_front()) {
    for (const LinkId out : graph.out(open.front())) {
      const NodeId next = graph.link(out).to;
      if (graph.node(next).passes && links.emplace(next, links.at(open.front()) + 1).second)
        open.push_back(next);
    }
  }
  return links;
}

std::string names(const Graph& graph, const std::vector<NodeId>& path) {
  std::string text;
  for (const NodeId id : path) text += (text.empty() ? "" : " ") + graph.node(id).name;
  return text;
}

}  // namespace

TEST_CASE("Routing: X first and Y first are each other's way back, at every level of a machine") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const config::MachineSpec spec = without_ties(random_machine(seed));
    const Graph xy = graph_of(spec);
    const Graph yx = graph_of(routed(spec, "builtin.yx"));
    for (const auto& [from, to] : samples(xy, seed)) {
      std::vector<NodeId> back = path(yx, to, from);
      std::ranges::reverse(back);
      CHECK(path(xy, from, to) == back);
    }
  }
}

TEST_CASE("Routing: Y first on a mesh goes down the column of its source") {
  config::MachineSpec spec = routed({}, "builtin.yx");
  const TrafficNetwork mesh = traffic_network(spec, "mesh:3x3");
  CHECK(names(mesh.graph, path(mesh.graph, mesh.sources[0], mesh.sinks[8])) ==
        "e0_0 r0_0 r1_0 r2_0 r2_1 r2_2 e2_2");
  spec.system.routing.impl = "builtin.xy";
  const TrafficNetwork rows = traffic_network(spec, "mesh:3x3");
  CHECK(names(rows.graph, path(rows.graph, rows.sources[0], rows.sinks[8])) ==
        "e0_0 r0_0 r0_1 r0_2 r1_2 r2_2 e2_2");
}

TEST_CASE("Routing: tables have the fewest hops that there are, and none through a crossbar") {
  for (unsigned seed = 0; seed < kMachines; seed += 4) {
    CAPTURE(seed);
    const Graph graph = graph_of(routed(random_machine(seed), "builtin.table"));
    const NodeId from = graph.cube(0, 0).noc.front();
    for (const auto& [to, links] : distances(graph, from)) {
      if (!graph.node(to).access.router.valid()) continue;
      const std::vector<NodeId> nodes = path(graph, from, to);
      CHECK(nodes.size() == links + 1);
      CHECK(std::ranges::all_of(nodes, [&](NodeId id) { return graph.node(id).passes; }));
    }
  }
}

TEST_CASE("Routing: by tables the rest of a way is the way from there, so that one table a router suffices") {
  const Graph graph = graph_of(routed(random_machine(7), "builtin.table"));
  const NodeId from = graph.cube(0, 0).noc.front();
  const NodeId to = graph.sips().back().cubes.back().noc.back();
  const std::vector<NodeId> whole = path(graph, from, to);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (!graph.node(whole[i]).access.router.valid()) continue;
    CHECK(path(graph, whole[i], to) ==
          std::vector(whole.begin() + static_cast<std::ptrdiff_t>(i), whole.end()));
  }
}

TEST_CASE("Routing: by tables a mesh takes Manhattan ways and a torus the shorter way round") {
  const config::MachineSpec spec = routed({}, "builtin.table");
  for (const char* scope : {"mesh:4x3", "torus:5x4", "ring:6"}) {
    CAPTURE(scope);
    const TrafficNetwork table = traffic_network(spec, scope);
    const TrafficNetwork ordered = traffic_network({}, scope);
    for (const NodeId from : table.sources) {
      for (const NodeId to : table.sinks)
        CHECK(path(table.graph, from, to).size() == path(ordered.graph, from, to).size());
    }
  }
}

TEST_CASE("Routing: a missing one is reported where it was asked for, with the nearest name") {
  CHECK_THROWS_WITH_AS((void)graph_of(routed({}, "builtin.xz")),
                       doctest::Contains("unknown routing 'builtin.xz', did you mean 'builtin.xy'?"),
                       ConfigError);
  CHECK_THROWS_AS((void)traffic_network(routed({}, "builtin.router"), "mesh:2x2"), ConfigError);
}

TEST_CASE("RouterGrid: the routers of a cube's NOC, of an IO NOC and of a bare network, by coordinates") {
  const Graph graph = graph_of(machine({.sips = 1, .cubes = {.w = 3, .h = 1}, .noc = {.w = 4, .h = 2}}));
  const std::vector<NodeId>& noc = graph.cube(0, 1).noc;
  const RouterGrid cube{graph, noc[5]};
  CHECK(cube.routers() == noc);
  CHECK(cube.width() == 4);
  CHECK(cube.height() == 2);
  CHECK(cube.of(noc[5]) == RouterGrid::Spot{.column = 1, .row = 1});
  CHECK(cube.at({.column = 3, .row = 0}) == noc[3]);
  CHECK(cube.neighbour(noc[5], Side::east) == noc[6]);
  CHECK(cube.neighbour(noc[5], Side::north) == noc[1]);
  CHECK(cube.neighbour(noc[5], Side::south) == std::nullopt);
  CHECK(cube.neighbour(noc[4], Side::west) == std::nullopt);
  CHECK(!cube.contains(graph.cube(0, 0).noc[5]));
  CHECK_THROWS_AS((void)cube.of(graph.cube(0, 0).noc[5]), InternalError);

  const RouterGrid io{graph, graph.sips()[0].io_noc[0]};
  CHECK(io.width() == 3);
  CHECK(io.height() == 1);

  const TrafficNetwork torus = traffic_network({}, "torus:3x2");
  const NodeId corner = torus.graph.node(torus.sources[0]).access.router;
  const RouterGrid all{torus.graph, corner};
  CHECK(all.routers().size() == 6);
  CHECK(all.neighbour(corner, Side::west) == all.at({.column = 2, .row = 0}));
}

namespace {

// A routing with a fault on the way from the first router to the last.
struct FaultySpec {
  int fault = 0;
  static void describe(auto& f) { f.add("fault", &FaultySpec::fault, "which"); }
};

class Faulty final : public IRouting {
 public:
  explicit Faulty(const FaultySpec& spec) : fault_{spec.fault} {}
  void walk(const Graph& graph, NodeId from, NodeId to, std::vector<NodeId>& path) const override {
    const RouterGrid grid{graph, from};
    const NodeId beside = *grid.neighbour(from, Side::east);
    if (fault_ == 0) path.push_back(to);
    if (fault_ == 1) path.push_back(beside);
    if (fault_ == 2) path.insert(path.end(), {beside, from});
    if (fault_ == 3) path.emplace_back(static_cast<std::uint32_t>(graph.nodes().size() - 1));
    if (fault_ == 4) path.emplace_back(1'000'000U);
  }

 private:
  int fault_;
};
KBSIM_ROUTING("test.faulty", Faulty, FaultySpec, "gives routes that lead nowhere");

}  // namespace

TEST_CASE("Routing: a broken route is reported with the routing, the pair and the step") {
  const std::vector<std::string> problems{
      "step 1: no link leads from r0_0 to r1_1", "it ends at r0_1", "step 2: r0_0 is on it twice",
      "step 1: e1_1 is neither a router nor a port", "step 1: there is no node 1000000"};
  for (std::size_t fault = 0; fault < problems.size(); ++fault) {
    config::MachineSpec spec = routed({}, "test.faulty");
    spec.system.routing.attrs["fault"] = static_cast<std::int64_t>(fault);
    const TrafficNetwork mesh = traffic_network(spec, "mesh:2x2");
    const std::string text = "the route of 'test.faulty' from r0_0 to r1_1: " + problems[fault];
    CHECK_THROWS_WITH_AS((void)path(mesh.graph, mesh.sources[0], mesh.sinks[3]),
                         doctest::Contains(text.c_str()), ConfigError);
  }
}

TEST_CASE("Parts: one's own stand at their routers, last in their level, and are ends of routes") {
  config::MachineSpec spec = machine({.sips = 2, .noc = {.w = 3, .h = 3}});
  const Graph without = graph_of(spec);
  spec.sip.io.parts["meter"].model.impl = "my.meter";
  spec.cube.parts["scrubber"].model.impl = "my.scrubber";
  spec.pe.parts["sorter"] = {.model = {.impl = "my.sorter", .attrs = {}, .at = {}},
                             .link = Bandwidth::gbs(32.0)};
  const Graph graph = graph_of(spec);
  CHECK(graph.nodes().size() == without.nodes().size() + 6);
  CHECK(graph.links().size() == without.links().size() + 12);
  const NodeId sorter = graph.find("sip1.cube0.pe0.sorter").value();
  CHECK(graph.node(sorter).kind == NodeKind::part);
  CHECK(graph.link(graph.out(sorter).front()).bandwidth == Bandwidth::gbs(32.0));
  CHECK(names(graph, path(graph, graph.find("sip0.cube0.scrubber").value(), graph.cube(0, 0).hbm[0])) ==
        "sip0.cube0.scrubber sip0.cube0.noc.r1_1 sip0.cube0.noc.r1_0 sip0.cube0.noc.r0_0 sip0.cube0.xbar "
        "sip0.cube0.hbm0");
  CHECK(path(graph, graph.find("sip0.io.meter").value(), sorter).size() > 5);
  CHECK(!graph.find("sip2.io.meter"));
}

TEST_CASE("Parts: a name that a node of the machine has is refused") {
  config::MachineSpec spec = machine({});
  spec.cube.parts["sram"].model.impl = "my.scrubber";
  CHECK_THROWS_WITH_AS((void)graph_of(spec), doctest::Contains("another node has this name"), ConfigError);
  spec.cube.parts.clear();
  spec.pe.parts["pe_dma"].model.impl = "my.scrubber";
  CHECK_THROWS_AS((void)graph_of(spec), ConfigError);
}
