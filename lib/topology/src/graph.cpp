#include "kbsim/topology/graph.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::topology {

std::string_view to_string(NodeKind kind) {
  constexpr std::array<std::string_view, 20> kNames{
      "host",    "switch",   "pcie_ep", "io_cpu",  "router",       "ucie",   "m_cpu",
      "xbar",    "hbm_ctrl", "sram",    "pe_cpu",  "pe_scheduler", "pe_dma", "pe_gemm",
      "pe_math", "pe_tcm",   "pe_mmu",  "pe_ipcq", "endpoint",     "part"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string Graph::link_name(LinkId id) const {
  return fmt::format("{}>{}", node(link(id).from).name, node(link(id).to).name);
}

std::optional<NodeId> Graph::find(std::string_view name) const {
  const auto found = std::ranges::find(nodes_, name, &Node::name);
  if (found == nodes_.end()) return std::nullopt;
  return NodeId{static_cast<std::uint32_t>(found - nodes_.begin())};
}

int Graph::network_of(NodeId router) const {
  const PeCoord& at = node(router).at;
  if (at.cube < 0 || spec().cube.noc.networks() == 1) return 0;
  const std::vector<NodeId>& first = cube(at.sip, at.cube).noc;
  const NodeId origin = *std::ranges::find_if(first, &NodeId::valid);
  return static_cast<int>((router.value() - origin.value()) / routers_of_network_);
}

void Graph::throw_no_link(NodeId from, NodeId to) const {
  throw InternalError{"no link from " + node(from).name + " to " + node(to).name};
}

}  // namespace kbsim::topology
