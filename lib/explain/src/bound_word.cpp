// The field's word for what bounds a path.
#include <fmt/format.h>

#include "kbsim/explain/explanation.hpp"
#include "kbsim/explain/path.hpp"
#include "kbsim/topology/link_class.hpp"

namespace kbsim::explain {
namespace {

using topology::LinkClass;
using topology::NodeKind;

std::string of_unit(NodeKind kind) {
  switch (kind) {
    case NodeKind::hbm_ctrl: return "HBM-bound";
    case NodeKind::sram: return "SRAM-bound";
    case NodeKind::pe_tcm: return "TCM-bound";
    case NodeKind::pe_gemm: return "compute-bound, GEMM";
    case NodeKind::pe_math: return "compute-bound, vector";
    case NodeKind::pe_dma: return "DMA-bound";
    case NodeKind::pe_cpu: return "dispatch-bound";
    default: return fmt::format("bound by {}", to_string(kind));
  }
}

std::string of_link(LinkClass link) {
  switch (link) {
    case LinkClass::package: return "package-link-bound";
    case LinkClass::host: return "host-link-bound";
    case LinkClass::ucie: return "UCIe-bound";
    case LinkClass::xbar_to_hbm:
    case LinkClass::noc_to_hbm: return "HBM-bound";
    case LinkClass::pe_internal: return "TCM-bound";
    default: return "NOC-bound";
  }
}

}  // namespace

std::string bound_word(const Segment& segment, const topology::Graph& graph) {
  switch (class_of(segment.reason)) {
    case WorkClass::latency: return "latency-bound";
    case WorkClass::transfer:
      if (segment.reason == hw::Reason::serialization || segment.reason == hw::Reason::port_time)
        return of_link(topology::link_class(graph, graph.link(LinkId{segment.place})));
      [[fallthrough]];
    default: return of_unit(graph.node(NodeId{segment.place}).kind);
  }
}

}  // namespace kbsim::explain
