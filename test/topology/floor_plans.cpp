// Machines with floor plans and listed links: what stands where, and the routes between.
#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include <doctest/doctest.h>

#include "kbsim/topology/route.hpp"

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
