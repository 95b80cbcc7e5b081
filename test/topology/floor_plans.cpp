// Machines with floor plans and listed links: what stands where, and the routes between.
#include <algorithm>
#include <map>
#include <queue>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/bisection.hpp"
#include "kbsim/topology/route.hpp"
#include "kbsim/topology/traffic_network.hpp"

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

config::MachineSpec planned(int w, int h) {
  config::MachineSpec spec = machine({.sips = 1, .cubes = {1, 1}, .noc = {w, h}});
  spec.cube.floorplan.pe.at = {{.x = 0, .y = 0}, {.x = w - 1, .y = h - 1}};
  return spec;
}

std::vector<NodeId> routers_of(const Graph& graph) {
  std::vector<NodeId> there;
  std::ranges::copy_if(graph.cube(0, 0).noc, std::back_inserter(there), &NodeId::valid);
  return there;
}

// Steps along one axis of `size` routers.
int steps(int from, int to, int size, const config::NocSpec& noc) {
  const int forward = (to - from + size) % size;
  const int back = (from - to + size) % size;
  if (noc.links.front() == config::NocLinks::east_south) return forward;
  if (noc.links.front() == config::NocLinks::north_west) return back;
  return noc.wrap ? std::min(forward, back) : std::abs(to - from);
}

// By node: links on the shortest way from `from`, over all links.
std::map<NodeId, int> shortest(const Graph& graph, NodeId from) {
  std::map<NodeId, int> links{{from, 0}};
  std::queue<NodeId> next;
  for (next.push(from); !next.empty(); next.pop()) {
    for (const LinkId link : graph.out(next.front())) {
      const NodeId to = graph.link(link).to;
      if (links.emplace(to, links.at(next.front()) + 1).second) next.push(to);
    }
  }
  return links;
}

}  // namespace

TEST_CASE("Floor plan: on a mesh, on rings and on one-way rings a route has as many hops as the axes need") {
  using enum config::NocLinks;
  for (const auto& [wrap, links] :
       {std::pair{false, both}, {true, both}, {true, east_south}, {true, north_west}}) {
    for (const auto& [w, h] : {std::pair{1, 1}, {2, 1}, {1, 5}, {2, 2}, {4, 3}, {5, 6}}) {
      config::MachineSpec spec = planned(w, h);
      spec.cube.noc.wrap = wrap;
      spec.cube.noc.links = {links};
      const Graph graph = graph_of(spec);
      const std::vector<NodeId>& noc = graph.cube(0, 0).noc;
      for (int from = 0; from < w * h; ++from) {
        for (int to = 0; to < w * h; ++to) {
          const int hops =
              steps(from % w, to % w, w, spec.cube.noc) + steps(from / w, to / w, h, spec.cube.noc);
          CHECK(find_route(graph, noc[static_cast<std::size_t>(from)], noc[static_cast<std::size_t>(to)])
                    .size() == static_cast<std::size_t>(hops));
        }
      }
    }
  }
}

TEST_CASE("Floor plan: one-way rings go along rows first eastwards, along columns first northwards") {
  config::MachineSpec spec = planned(3, 3);
  spec.cube.noc.wrap = true;
  spec.cube.noc.links = {config::NocLinks::east_south};
  const Graph east = graph_of(spec);
  const auto names = [](const Graph& graph, int from, int to) {
    std::string text;
    const std::vector<NodeId>& noc = graph.cube(0, 0).noc;
    for (const NodeId node :
         path(graph, noc[static_cast<std::size_t>(from)], noc[static_cast<std::size_t>(to)]))
      text += graph.node(node).name.substr(std::string_view{"sip0.cube0.noc."}.size()) + " ";
    return text;
  };
  CHECK(names(east, 2, 3) == "r0_2 r0_0 r1_0 ");
  spec.cube.noc.links = {config::NocLinks::north_west};
  CHECK(names(graph_of(spec), 2, 3) == "r0_2 r2_2 r1_2 r1_1 r1_0 ");
}

TEST_CASE("Floor plan: round holes every router reaches every other, each once") {
  config::MachineSpec spec = planned(5, 4);
  spec.cube.floorplan.pe.at.clear();
  spec.cube.floorplan.map = {"P..#P", ".##..", "..#.#", "#...P"};
  spec.cube.floorplan.port.e = {{.x = 4, .y = 1}};
  spec.cube.floorplan.m_cpu.at = spec.cube.floorplan.sram.at = {{.x = 2, .y = 0}};
  for (const bool wrap : {false, true}) {
    spec.cube.noc.wrap = wrap;
    const Graph graph = graph_of(spec);
    const std::vector<NodeId> there = routers_of(graph);
    CHECK(there.size() == 14);
    for (const NodeId from : there) {
      const std::map<NodeId, int> least = shortest(graph, from);
      for (const NodeId to : there) {
        const std::vector<NodeId> nodes = path(graph, from, to);
        CHECK(nodes.front() == from);
        CHECK(nodes.back() == to);
        CHECK(std::set(nodes.begin(), nodes.end()).size() == nodes.size());
        CHECK(std::ssize(nodes) - 1 >= least.at(to));
      }
    }
  }
}

// By the definition: a network's routes are those of a machine that has this network alone.
TEST_CASE("Networks: each has the routes of a machine with it alone, between all ends of routes") {
  using enum config::NocLinks;
  const std::vector<config::NocLinks> networks{east_south, both, north_west};
  const std::regex in_cube{"(cube[0-9])[.]noc[.]"};
  for (const char* const routing : {"builtin.xy", "builtin.yx", "builtin.table"}) {
    CAPTURE(routing);
    config::MachineSpec spec = machine({.sips = 2, .cubes = {2, 1}, .noc = {3, 4}});
    spec.system.routing.impl = routing;
    spec.cube.floorplan.pe.at = {{.x = 0, .y = 0}, {.x = 2, .y = 1}};
    spec.cube.floorplan.hbm.channels = {{.at = {{.x = 0, .y = 1}, {.x = 2, .y = 3}}}};
    spec.cube.noc.wrap = true;
    spec.cube.noc.links = networks;
    const Graph all = graph_of(spec);
    for (int network = 0; network < 3; ++network) {
      CAPTURE(network);
      spec.cube.noc.links = {networks[static_cast<std::size_t>(network)]};
      const Graph alone = graph_of(spec);
      const std::string renamed = network == 0 ? "$1.noc." : fmt::format("$1.noc{}.", network);
      for (const Node& from : alone.nodes()) {
        for (const Node& to : alone.nodes()) {
          const bool ends = from.access.router.valid() && to.access.router.valid();
          if (!ends || from.kind == NodeKind::router || to.kind == NodeKind::router) continue;
          std::string expected;
          for (const NodeId node : path(alone, *alone.find(from.name), *alone.find(to.name)))
            expected += std::regex_replace(alone.node(node).name, in_cube, renamed) + " ";
          std::string found;
          for (const NodeId node : path(all, *all.find(from.name), *all.find(to.name), network))
            found += all.node(node).name + " ";
          REQUIRE(found == expected);
        }
      }
    }
  }
}

TEST_CASE("Networks: two have the bisection of both, and their routers stand at the same places") {
  config::MachineSpec spec = planned(4, 2);
  const Graph one = graph_of(spec);
  spec.cube.noc.links.push_back(config::NocLinks::both);
  const Graph two = graph_of(spec);
  CHECK(*bisections(two).noc == 2 * *bisections(one).noc);
  for (const NodeId first : routers_of(two)) {
    const NodeId second = two.on_network(first, 1);
    CHECK(two.network_of(first) == 0);
    CHECK(two.network_of(second) == 1);
    CHECK(two.node(second).pos_mm.x == two.node(first).pos_mm.x);
    CHECK(two.node(second).pos_mm.y == two.node(first).pos_mm.y);
  }
  CHECK(two.nodes().size() == one.nodes().size() + 8);
}

TEST_CASE("Floor plan: a message takes the memory port that is fewest hops away, there and back") {
  config::MachineSpec spec = planned(6, 1);
  spec.cube.floorplan.hbm.channels = {{.at = {{.x = 1, .y = 0}, {.x = 4, .y = 0}}}};
  const Graph graph = graph_of(spec);
  const CubeNodes& cube = graph.cube(0, 0);
  CHECK_FALSE(cube.xbar.valid());
  REQUIRE(cube.hbm.size() == 1);
  const auto second_last = [&](NodeId from, NodeId to) {
    const std::vector<NodeId> nodes = path(graph, from, to);
    return nodes[nodes.size() - 2];
  };
  CHECK(second_last(cube.pes[0].dma, cube.hbm[0]) == cube.noc[1]);
  CHECK(second_last(cube.pes[1].dma, cube.hbm[0]) == cube.noc[4]);
  CHECK(path(graph, cube.hbm[0], cube.pes[1].tcm)[1] == cube.noc[4]);
}

TEST_CASE("Listed links: a switch joins packages, and routes take the fewest links") {
  config::MachineSpec spec = machine({.sips = 4, .cubes = {1, 1}, .noc = {1, 1}});
  config::SipsSpec& sips = spec.system.sips;
  sips.topology = config::SipTopology::links;
  const auto link = [](const char* a, const char* b) {
    config::ListedLinkSpec listed;
    listed.a = a;
    listed.b = b;
    return listed;
  };
  sips.links = {link("sip0", "sw"), link("sip1", "sw"), link("sw", "sip2"), link("sip2", "sip3")};
  const Graph graph = graph_of(spec);
  REQUIRE(graph.switches().size() == 1);
  CHECK(graph.node(graph.switches().front()).name == "sw");
  const auto names = [&](int from, int to) {
    std::string text;
    for (const NodeId node : path(graph, graph.pe({from, 0, 0}).cpu, graph.pe({to, 0, 0}).cpu)) {
      const std::string& name = graph.node(node).name;
      if (name.find("port_") != std::string::npos || name == "sw") text += name + " ";
    }
    return text;
  };
  CHECK(names(0, 1) == "sip0.io.port_sw sw sip1.io.port_sw ");
  CHECK(names(0, 3) == "sip0.io.port_sw sw sip2.io.port_sw sip2.io.port_sip3 sip3.io.port_sip2 ");
}

TEST_CASE("Floor plan: traffic between cubes starts at the M_CPU's router, wherever the holes are") {
  config::MachineSpec spec = planned(3, 3);
  spec.cube.floorplan.pe.at.clear();
  spec.cube.floorplan.map = {"PPP", "P#P", "PPP"};
  spec.cube.floorplan.port.n = spec.cube.floorplan.m_cpu.at =
      spec.cube.floorplan.sram.at = {{.x = 2, .y = 0}};
  const TrafficNetwork network = traffic_network(spec, "sip0.cubes");
  REQUIRE(network.sources.size() == 1);
  const Node& source = network.graph.node(network.sources.front());
  CHECK(network.graph.node(source.access.router).name == "sip0.cube0.noc.r0_2");
}

TEST_CASE("Slots: listed links whose routes close a circle are refused, others aren't") {
  const auto made = [](int count, const std::vector<std::pair<std::string, std::string>>& ends) {
    config::MachineSpec spec = planned(2, 2);
    spec.system.sips = {.count = count, .topology = config::SipTopology::links};
    for (const auto& [a, b] : ends) {
      config::ListedLinkSpec link;
      link.credits = 4;
      link.a = a;
      link.b = b;
      spec.system.sips.links.push_back(link);
    }
    return graph_of(spec);
  };
  CHECK_NOTHROW(made(3, {{"sip0", "sip1"}, {"sip1", "sip2"}, {"sip2", "sip0"}}));
  CHECK_NOTHROW(made(4, {{"sip0", "sw"}, {"sip1", "sw"}, {"sip2", "sw"}, {"sip3", "sip0"}}));
  const auto ring_of_six = [&] {
    return made(6, {{"sip0", "sip1"},
                    {"sip1", "sip2"},
                    {"sip2", "sip3"},
                    {"sip3", "sip4"},
                    {"sip4", "sip5"},
                    {"sip5", "sip0"}});
  };
  config::MachineSpec by_table = planned(2, 2);
  by_table.sip.ucie_link.credits = 4;
  CHECK_NOTHROW(graph_of(by_table));
  by_table.system.routing.impl = "builtin.table";
  CHECK_THROWS_WITH_AS(graph_of(by_table), doctest::Contains("expected builtin.xy or builtin.yx"),
                       ConfigError);
  CHECK_THROWS_WITH_AS(ring_of_six(), doctest::Contains("could wait for one another in a circle"),
                       ConfigError);
}

TEST_CASE("Links between chips: latency, channels and efficiency") {
  config::MachineSpec spec = machine({.sips = 2, .cubes = {1, 1}, .noc = {1, 1}});
  spec.system.sips.link = {.bandwidth = Bandwidth::gbs(10),
                           .length_mm = 100,
                           .latency = 7_ns,
                           .channels = 4,
                           .efficiency = 0.5,
                           .packet = 10_ns,
                           .frame = {.header = 6_B, .payload = 10_B, .overhead = 2_B}};
  const Graph graph = graph_of(spec);
  const LinkId id = graph.link_between(*graph.find("sip0.io.port_e"), *graph.find("sip1.io.port_w"));
  const Link& link = graph.link(id);
  CHECK(link.bandwidth == Bandwidth::gbs(20));
  CHECK(link.wire == 8_ns);
  REQUIRE(link.framing != nullptr);
  CHECK(link.framing->service(1_B) == 2500_ps);   // a quarter of the least time: 9 B take 450 ps
  CHECK(link.framing->service(94_B) == 6_ns);     // 100 B in ten frames: 120 B at 20 GB/s
  CHECK(link.framing->service(95_B) == 6150_ps);  // 101 B in eleven
}
