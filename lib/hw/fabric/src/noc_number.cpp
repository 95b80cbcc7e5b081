#include "kbsim/hw/fabric/noc_number.hpp"

namespace kbsim::hw {
namespace {

using topology::NodeKind;

config::NocNumber number_of(const config::NocUseSpec& use, NodeKind from, NodeKind to,
                            TrafficClass traffic_class) {
  switch (traffic_class) {
    case TrafficClass::ipcq:
    case TrafficClass::credit: return use.messages;
    case TrafficClass::request:
      return from == NodeKind::pe_dma ? use.reads : from == NodeKind::pe_tcm ? use.writes : use.control;
    case TrafficClass::response:
      return to == NodeKind::pe_tcm ? use.reads : to == NodeKind::pe_dma ? use.writes : use.control;
  }
  return use.control;
}

}  // namespace

int noc_number(const topology::Graph& graph, NodeId from, NodeId to, TrafficClass traffic_class) {
  const config::NocSpec& noc = graph.spec().cube.noc;
  if (!noc.has_several()) return 0;
  const NodeKind sender = graph.node(from).kind;
  if (sender == NodeKind::endpoint) return 0;
  return static_cast<int>(number_of(noc.use, sender, graph.node(to).kind, traffic_class));
}

}  // namespace kbsim::hw
