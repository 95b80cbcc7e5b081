#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

std::vector<std::string> names(const Graph& graph) {
  std::vector<std::string> all;
  for (const Node& node : graph.nodes()) all.push_back(node.name);
  return all;
}

std::string prefix(PeCoord at) {
  if (at.sip < 0) return "";
  if (at.cube < 0) return fmt::format("sip{}.io.", at.sip);
  return fmt::format("sip{}.cube{}.", at.sip, at.cube);
}

}  // namespace

TEST_CASE("Graph: the smallest machine has these nodes, in this order") {
  const std::vector<std::string> expected{
      "host",
      "switch",
      "sip0.io.pcie_ep",
      "sip0.io.io_cpu",
      "sip0.io.noc.r0",
      "sip0.io.ucie0",
      "sip0.cube0.noc.r0_0",
      "sip0.cube0.ucie_e",
      "sip0.cube0.ucie_w",
      "sip0.cube0.ucie_n",
      "sip0.cube0.ucie_s",
      "sip0.cube0.m_cpu",
      "sip0.cube0.sram",
      "sip0.cube0.xbar",
      "sip0.cube0.pe0.pe_cpu",
      "sip0.cube0.pe0.pe_scheduler",
      "sip0.cube0.pe0.pe_dma",
      "sip0.cube0.pe0.pe_gemm",
      "sip0.cube0.pe0.pe_math",
      "sip0.cube0.pe0.pe_tcm",
      "sip0.cube0.pe0.pe_mmu",
      "sip0.cube0.pe0.pe_ipcq",
      "sip0.cube0.hbm0",
  };
  CHECK(names(graph_of(machine({}))) == expected);
}

TEST_CASE("Graph: the ports between packages are named by their side") {
  const auto ports = [](const Graph& graph, std::size_t sip) {
    std::vector<std::string> all;
    for (const NodeId port : graph.sips()[sip].ports) all.push_back(graph.node(port).name);
    return all;
  };
  using Names = std::vector<std::string>;
  const Graph ring = graph_of(machine({.sips = 2}));
  CHECK(ports(ring, 1) == Names{"sip1.io.port_e", "sip1.io.port_w"});
  const Graph grid = graph_of(machine({.sips = 4, .joined = config::SipTopology::mesh_2d_no_wrap}));
  CHECK(ports(grid, 3) == Names{"sip3.io.port_w", "sip3.io.port_n"});
  const Graph tree = graph_of(machine({.sips = 4, .joined = config::SipTopology::tree_binary}));
  CHECK(ports(tree, 1) == Names{"sip1.io.port_parent", "sip1.io.port_child_left"});
}

TEST_CASE("Graph: a link is named by its two nodes") {
  const Graph graph = graph_of(machine({}));
  const PeNodes& pe = graph.pe({});
  CHECK(graph.link_name(graph.link_between(pe.dma, pe.tcm)) == "sip0.cube0.pe0.pe_dma>sip0.cube0.pe0.pe_tcm");
}

TEST_CASE("Graph: names are unique, and every node has a model of its own machine") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const Graph graph = graph_of(random_machine(seed));
    const std::vector<std::string> all = names(graph);
    CHECK(std::set(all.begin(), all.end()).size() == all.size());
    for (const Node& node : graph.nodes()) REQUIRE(node.model != nullptr);
    CHECK(graph.node(graph.pcie_switch()).model == &graph.spec().system.components.pcie_switch);
    CHECK(graph.node(graph.pe({}).dma).model == &graph.spec().pe.pe_dma);
  }
}

TEST_CASE("Graph: a node's name begins with its coordinates") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    const Graph graph = graph_of(random_machine(seed));
    for (const Node& node : graph.nodes()) {
      CAPTURE(node.name);
      CHECK(node.name.starts_with(prefix(node.at)));
    }
  }
}

TEST_CASE("Graph: two nodes that aren't neighbours have no link") {
  const Graph graph = graph_of(machine({}));
  CHECK_THROWS_WITH_AS((void)graph.link_between(graph.host(), graph.pe({}).dma),
                       "no link from host to sip0.cube0.pe0.pe_dma", InternalError);
}
