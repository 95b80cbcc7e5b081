#include <boost/json/array.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/report/machine_report.hpp"

namespace kbsim::report {
namespace {

namespace views = ranges::views;

using boost::json::value;

value or_null(const std::optional<double>& figure) { return figure ? value(*figure) : value(); }

std::string name(const topology::Graph& graph, NodeId id) { return graph.node(id).name; }

value to_json(const topology::Graph& graph, const topology::PathCost& path) {
  return {
      {"from", name(graph, path.from)},      {"to", name(graph, path.to)},  {"hops", path.hops},
      {"overhead_ns", to_ns(path.overhead)}, {"wire_ns", to_ns(path.wire)}, {"drain_ns", to_ns(path.drain)},
      {"latency_ns", to_ns(path.latency())}};
}

boost::json::array classes(const topology::Summary& s) {
  boost::json::array result;
  for (const topology::LinkGroup& group : s.groups) {
    result.push_back({{"class", to_string(group.link_class)},
                      {"count", group.count},
                      {"bw_gbs", group.bandwidth.gbs()},
                      {"total_bw_gbs", group.total_gbs()},
                      {"min_wire_ns", to_ns(group.shortest)},
                      {"max_wire_ns", to_ns(group.longest)}});
  }
  return result;
}

value summary(const MachineReport& machine) {
  const topology::Summary& s = machine.summary;
  return {{"packages", s.packages},
          {"cubes", s.cubes},
          {"pes", s.pes},
          {"nodes", s.nodes},
          {"links", s.links},
          {"link_classes", classes(s)},
          {"hbm_bytes", s.hbm.count()},
          {"sram_bytes", s.sram.count()},
          {"tcm_bytes", s.tcm.count()},
          {"hbm_raw_bw_gbs", s.hbm_raw_gbs},
          {"hbm_effective_bw_gbs", or_null(s.hbm_effective_gbs)},
          {"gemm_macs_per_ns", or_null(s.macs_per_ns)},
          {"gemm_tflops", or_null(s.tflops())},
          {"bisection_bw_gbs",
           {{"noc", or_null(s.bisection.noc)},
            {"package", or_null(s.bisection.package)},
            {"system", or_null(s.bisection.system)}}},
          {"diameter_hops", s.farthest ? value(s.farthest->diameter) : value()},
          {"longest_path", s.farthest ? to_json(machine.graph, s.farthest->path) : value()}};
}

boost::json::array nodes(const MachineReport& machine) {
  boost::json::array result;
  for (const auto& [node, overhead] : views::zip(machine.graph.nodes(), machine.figures.overhead)) {
    result.push_back({{"id", node.name},
                      {"kind", to_string(node.kind)},
                      {"impl", node.model->impl},
                      {"overhead_ns", to_ns(overhead)},
                      {"pos_mm", {node.pos_mm.x, node.pos_mm.y}}});
  }
  return result;
}

boost::json::array links(const topology::Graph& graph) {
  boost::json::array result;
  for (const auto& [i, link] : views::zip(views::iota(0U), graph.links())) {
    result.push_back({{"id", graph.link_name(LinkId{i})},
                      {"from", name(graph, link.from)},
                      {"to", name(graph, link.to)},
                      {"bw_gbs", link.bandwidth.gbs()},
                      {"length_mm", link.length_mm},
                      {"wire_ns", to_ns(link.wire)}});
  }
  return result;
}

}  // namespace

boost::json::object to_json(const MachineReport& machine) {
  return {{"summary", summary(machine)}, {"nodes", nodes(machine)}, {"links", links(machine.graph)}};
}

}  // namespace kbsim::report
