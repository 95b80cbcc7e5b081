#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

/// Two PEs on the first row of a cube's 3x1 NOC, one at each end.
Graph two_pes() {
  return graph_of(machine({.noc = {.w = 3, .h = 1}, .corners = {config::Corner::NW, config::Corner::NE}}));
}

std::string short_path(const Graph& graph, NodeId from, NodeId to) {
  std::string names = path_names(graph, from, to);
  for (const std::string prefix = "sip0.cube0."; names.find(prefix) != std::string::npos;) {
    names.erase(names.find(prefix), prefix.size());
  }
  return names;
}

void check_refused(const Graph& graph, NodeId from, NodeId to, const std::string& text) {
  CHECK_THROWS_WITH_AS((void)path(graph, from, to), text.c_str(), InternalError);
}

}  // namespace

TEST_CASE("path: a PE's DMA and TCM reach every HBM slice of their cube by the crossbar alone") {
  const Graph graph = two_pes();
  const CubeNodes& cube = graph.cube(0, 0);
  const PeNodes& pe = cube.pes[0];
  CHECK(short_path(graph, pe.dma, cube.hbm[0]) == "pe0.pe_dma > xbar > hbm0");
  CHECK(short_path(graph, pe.dma, cube.hbm[1]) == "pe0.pe_dma > xbar > hbm1");
  CHECK(short_path(graph, cube.hbm[1], pe.dma) == "hbm1 > xbar > pe0.pe_dma");
  CHECK(short_path(graph, pe.tcm, cube.hbm[0]) == "pe0.pe_tcm > pe0.pe_dma > xbar > hbm0");
  CHECK(short_path(graph, cube.hbm[0], pe.tcm) == "hbm0 > xbar > pe0.pe_dma > pe0.pe_tcm");
  CHECK(short_path(graph, cube.hbm[0], cube.hbm[1]) == "hbm0 > xbar > hbm1");
}

TEST_CASE("path: others reach a slice over the NOC, by the router of the slice's own PE") {
  const Graph graph = two_pes();
  const CubeNodes& cube = graph.cube(0, 0);
  CHECK(short_path(graph, cube.m_cpu, cube.hbm[1]) == "m_cpu > noc.r0_1 > noc.r0_2 > xbar > hbm1");
  CHECK(short_path(graph, cube.pes[0].cpu, cube.hbm[1]) ==
        "pe0.pe_cpu > noc.r0_0 > noc.r0_1 > noc.r0_2 > xbar > hbm1");
}

TEST_CASE("path: units of one PE meet at the first node that they share") {
  const Graph graph = two_pes();
  const PeNodes& pe = graph.pe({});
  CHECK(short_path(graph, pe.tcm, pe.ipcq) == "pe0.pe_tcm > pe0.pe_dma > pe0.pe_ipcq");
  CHECK(short_path(graph, pe.dma, pe.ipcq) == "pe0.pe_dma > pe0.pe_ipcq");
  CHECK(short_path(graph, pe.cpu, pe.mmu) == "pe0.pe_cpu > pe0.pe_mmu");
  CHECK(short_path(graph, pe.ipcq, pe.mmu) ==
        "pe0.pe_ipcq > pe0.pe_dma > noc.r0_0 > pe0.pe_cpu > pe0.pe_mmu");
}

TEST_CASE("path: from a node to itself is that node") {
  const Graph graph = two_pes();
  for (const NodeId id : ends(graph)) CHECK(path_names(graph, id, id) == graph.node(id).name);
}

TEST_CASE("path: the host reaches a PE by the switch, its package's IO NOC and UCIe") {
  const Graph graph = two_pes();
  const std::string expected =
      "host > switch > sip0.io.pcie_ep > sip0.io.noc.r0 > sip0.io.ucie0 > ucie_n > noc.r0_1 > noc.r0_0 > "
      "pe0.pe_cpu";
  CHECK(short_path(graph, graph.host(), graph.pe({}).cpu) == expected);
  CHECK(short_path(graph, graph.sips()[0].io_cpu, graph.host()) ==
        "sip0.io.io_cpu > sip0.io.noc.r0 > sip0.io.pcie_ep > switch > host");
}

TEST_CASE("path: between packages it takes their ports, not the host's switch") {
  const Graph graph = graph_of(machine({.sips = 2}));
  CHECK(path_names(graph, graph.sips()[0].io_cpu, graph.sips()[1].io_cpu) ==
        "sip0.io.io_cpu > sip0.io.noc.r0 > sip0.io.port_e > sip1.io.port_w > sip1.io.noc.r0 > "
        "sip1.io.io_cpu");
}

TEST_CASE("path: switches, ports, crossbars and engines are no ends of a route") {
  const Graph graph = two_pes();
  const PeNodes& pe = graph.pe({});
  check_refused(graph, graph.host(), graph.pcie_switch(), "switch is no end of a route");
  check_refused(graph, graph.pcie_switch(), graph.host(), "switch is no end of a route");
  check_refused(graph, pe.dma, graph.pcie_switch(), "switch is no end of a route");
  check_refused(graph, pe.gemm, pe.dma, "sip0.cube0.pe0.pe_gemm is no end of a route");
  check_refused(graph, pe.dma, graph.cube(0, 0).xbar, "sip0.cube0.xbar is no end of a route");
  check_refused(graph, graph.host(), graph.cube(0, 0).ucie[0], "sip0.cube0.ucie_e is no end of a route");
}

TEST_CASE("Routes: a pair that has no route is refused each time") {
  const Graph graph = two_pes();
  Routes routes{graph};
  for (int i = 0; i < 2; ++i) CHECK_THROWS_AS((void)routes(graph.host(), graph.pcie_switch()), InternalError);
}
