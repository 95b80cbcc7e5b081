#include "kbsim/topology/sip_network.hpp"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/link_class.hpp"
#include "kbsim/topology/longest_path.hpp"

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;
using config::SipTopology;

namespace {

SipNetwork network_of(SipTopology topology, int count) {
  return SipNetwork{{.count = count, .topology = topology}};
}

config::MachineSpec packages(SipTopology topology, int count) {
  return machine({.sips = count, .joined = topology, .cubes = {.w = 2, .h = 1}, .noc = {.w = 2, .h = 1}});
}

// The packages on the way, the first one not included.
std::vector<int> way(const SipNetwork& network, int from, int to) {
  std::vector<int> visited;
  while (from != to && visited.size() < 1000) {
    from = network.ports(from)[network.next_port(from, to)].peer;
    visited.push_back(from);
  }
  return visited;
}

std::vector<std::string> names(const SipNetwork& network, int sip) {
  std::vector<std::string> all;
  for (const SipPort& port : network.ports(sip)) all.push_back(port.name);
  return all;
}

// Links between packages that a route crosses.
int crossings(const Graph& graph, const Route& route) {
  return static_cast<int>(std::ranges::count_if(
      route, [&](LinkId id) { return link_class(graph, graph.link(id)) == LinkClass::package; }));
}

int package_links(const Graph& graph) {
  return static_cast<int>(std::ranges::count_if(
      graph.links(), [&](const Link& link) { return link_class(graph, link) == LinkClass::package; }));
}

// By a search through all of it.
int fewest_steps(const SipNetwork& network, int from, int to) {
  std::set<int> reached{from};
  int steps = 0;
  while (!reached.contains(to)) {
    const std::set<int> before = reached;
    for (const int sip : before) {
      for (const SipPort& port : network.ports(sip)) {
        if (port.begins || !network.one_way()) reached.insert(port.peer);
      }
    }
    ++steps;
  }
  return steps;
}

constexpr std::array kNetworks{SipTopology::ring_1d,        SipTopology::torus_2d,
                               SipTopology::mesh_2d,        SipTopology::mesh_2d_no_wrap,
                               SipTopology::ring_1d_unidir, SipTopology::tree_binary,
                               SipTopology::all_pairs,      SipTopology::doubling_distances};

}  // namespace

TEST_CASE("checklist 16: SipNetwork has the ports of a tree, of all pairs, of doubling distances") {
  CHECK(names(network_of(SipTopology::tree_binary, 7), 0) ==
        std::vector<std::string>{"child_left", "child_right"});
  CHECK(names(network_of(SipTopology::tree_binary, 4), 1) ==
        std::vector<std::string>{"parent", "child_left"});
  CHECK(names(network_of(SipTopology::tree_binary, 4), 3) == std::vector<std::string>{"parent"});
  CHECK(names(network_of(SipTopology::all_pairs, 4), 2) == std::vector<std::string>{"sip0", "sip1", "sip3"});
  CHECK(names(network_of(SipTopology::doubling_distances, 8), 0) ==
        std::vector<std::string>{"sip1", "sip2", "sip4", "sip6", "sip7"});
  CHECK(names(network_of(SipTopology::ring_1d_unidir, 3), 1) == std::vector<std::string>{"e", "w"});
  for (const SipTopology topology : kNetworks) CHECK(names(network_of(topology, 1), 0).empty());
}

TEST_CASE("checklist 16: a port's peer has the wire's other end, and one of the two begins it") {
  for (const SipTopology topology : kNetworks) {
    for (int count = 1; count <= 9; ++count) {
      CAPTURE(to_string(topology));
      CAPTURE(count);
      const SipNetwork network = network_of(topology, count);
      for (int sip = 0; sip < count; ++sip) {
        for (std::size_t i = 0; i < network.ports(sip).size(); ++i) {
          const SipPort& port = network.ports(sip)[i];
          REQUIRE(port.peer_port < network.ports(port.peer).size());
          const SipPort& back = network.ports(port.peer)[port.peer_port];
          CHECK(back.peer == sip);
          CHECK(back.peer_port == i);
          CHECK(back.begins != port.begins);
        }
      }
    }
  }
}

TEST_CASE("checklist 16: messages take the fewest steps between packages, whatever joins them") {
  for (const SipTopology topology : kNetworks) {
    for (const int count : {2, 3, 4, 5, 6, 7, 8, 16, 31}) {
      CAPTURE(to_string(topology));
      CAPTURE(count);
      const SipNetwork network = network_of(topology, count);
      for (int from = 0; from < count; ++from) {
        for (int to = 0; to < count; ++to)
          REQUIRE(std::ssize(way(network, from, to)) == fewest_steps(network, from, to));
      }
    }
  }
}

TEST_CASE("checklist 16: so they do by doubling distances, however many packages there are") {
  for (const int count : {37, 100, 171, 255, 256}) {
    CAPTURE(count);
    const SipNetwork network = network_of(SipTopology::doubling_distances, count);
    for (int to = 0; to < count; ++to)
      REQUIRE(std::ssize(way(network, 0, to)) == fewest_steps(network, 0, to));
  }
}

TEST_CASE("checklist 16: the ways, exactly") {
  CHECK(way(network_of(SipTopology::tree_binary, 7), 3, 6) == std::vector{1, 0, 2, 6});
  CHECK(way(network_of(SipTopology::ring_1d_unidir, 4), 0, 3) == std::vector{1, 2, 3});
  CHECK(way(network_of(SipTopology::all_pairs, 8), 7, 2) == std::vector{2});
  CHECK(way(network_of(SipTopology::doubling_distances, 8), 0, 3) == std::vector{1, 3});
  CHECK(way(network_of(SipTopology::doubling_distances, 8), 0, 4) == std::vector{4});
  CHECK_THROWS_AS((void)network_of(SipTopology::tree_binary, 3).next_port(1, 1), InternalError);
}

TEST_CASE("checklist 16: a machine has the links that each network says, both directions or one") {
  for (int n = 2; n <= 8; ++n) {
    CAPTURE(n);
    const auto links = [n](SipTopology topology) { return package_links(graph_of(packages(topology, n))); };
    CHECK(links(SipTopology::ring_1d) == 2 * n);
    CHECK(links(SipTopology::ring_1d_unidir) == n);
    CHECK(links(SipTopology::tree_binary) == 2 * (n - 1));
    CHECK(links(SipTopology::all_pairs) == n * (n - 1));
    CHECK(links(SipTopology::full) == n * (n - 1));
  }
  CHECK(package_links(graph_of(packages(SipTopology::doubling_distances, 8))) == 8 * 5);
  CHECK(package_links(graph_of(packages(SipTopology::doubling_distances, 5))) == 5 * 4);
}

TEST_CASE("checklist 16: routes between PEs cross one link per step between their packages") {
  for (const SipTopology topology : kNetworks) {
    CAPTURE(to_string(topology));
    const Graph graph = graph_of(packages(topology, 7));
    for (int from = 0; from < 7; ++from) {
      for (int to = 0; to < 7; ++to) {
        const Route route =
            find_route(graph, graph.pe({.sip = from, .cube = 1}).dma, graph.pe({.sip = to}).ipcq);
        CHECK(crossings(graph, route) == fewest_steps(graph.network(), from, to));
      }
    }
  }
}

TEST_CASE("checklist 16: tables find the shortest ways of a ring of one direction, too") {
  config::MachineSpec spec = packages(SipTopology::ring_1d_unidir, 5);
  spec.system.routing.impl = "builtin.table";
  const Graph graph = graph_of(spec);
  for (int to = 1; to < 5; ++to)
    CHECK(crossings(graph, find_route(graph, graph.pe({}).dma, graph.pe({.sip = to}).dma)) == to);
  CHECK(crossings(graph, find_route(graph, graph.pe({.sip = 1}).dma, graph.pe({}).dma)) == 4);
}

TEST_CASE("checklist 16: no pair of PEs is farther apart than farthest() says") {
  for (const SipTopology topology : {SipTopology::ring_1d_unidir, SipTopology::tree_binary,
                                     SipTopology::all_pairs, SipTopology::doubling_distances}) {
    for (const int count : {2, 4, 6}) {
      CAPTURE(to_string(topology));
      CAPTURE(count);
      const Graph graph = graph_of(packages(topology, count));
      const std::vector<Time> none(graph.nodes().size());
      int hops = 0;
      for (const SipNodes& a : graph.sips()) {
        for (const SipNodes& b : graph.sips()) {
          for (const CubeNodes& source : a.cubes) {
            for (const CubeNodes& target : b.cubes) {
              const NodeId from = source.pes.front().dma;
              const NodeId to = target.pes.front().dma;
              if (from != to) hops = std::max(hops, path_cost(graph, none, from, to, 0_B).hops);
            }
          }
        }
      }
      CHECK(farthest(graph, none)->diameter == hops);
    }
  }
}
