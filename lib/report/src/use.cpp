#include "kbsim/report/use.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/report/csv.hpp"

#include "ratio.hpp"

namespace kbsim::report {
namespace {

namespace views = ranges::views;

using topology::NodeKind;

// NaN while no time has passed.
std::string share_of_window(Time part, Time window) {
  return window > Time{0} ? fmt::format("{:.6g}", ratio(part, window)) : "NaN";
}

std::string unit_row(const topology::Node& node, const hw::UnitUse& use, Time window) {
  const bool moves_bytes = node.kind != NodeKind::pe_gemm && node.kind != NodeKind::pe_math;
  const std::string name =
      fmt::format("{}{}{}", node.name, use.port.text().empty() ? "" : " ", use.port.text());
  return fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_cell(name), to_string(node.kind), use.served,
                     moves_bytes ? std::to_string(use.bytes.count()) : "NaN", to_ns(use.busy),
                     share_of_window(use.busy, window), share_of_window(use.busy + use.waited, window),
                     to_ns(use.longest), to_ns(use.waited));
}

}  // namespace

std::string links_csv(const hw::Fabric& fabric, Time window) {
  std::string text = "link,bw_GBps,packets,bytes,utilization,demand,longest_queue_ns,waited_ns,blocked_ns\n";
  for (const auto& [i, link] : views::zip(views::iota(0U), fabric.links())) {
    const hw::UnitUse use = use_of(link.lane);
    const Time now = fabric.sim().now();
    const Time busy = std::clamp(link.lane.busy_until(now), Time{0}, now);  // without reservations after now
    const Bandwidth rate = link.lane.rate();
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_cell(fabric.graph().link_name(LinkId{i})),
                        rate.gbs(), use.served, use.bytes.count(), share_of_window(busy, window),
                        share_of_window(busy + use.waited, window), to_ns(use.longest), to_ns(use.waited),
                        to_ns(link.blocked()));
  }
  return text;
}

std::string units_csv(const hw::Machine& machine, Time window) {
  std::string text = "unit,kind,served,bytes,busy_ns,utilization,demand,longest_queue_ns,waited_ns\n";
  for (const auto& [i, node] : views::zip(views::iota(0U), machine.graph().nodes())) {
    for (const hw::UnitUse& use : machine.component(NodeId{i}).use()) text += unit_row(node, use, window);
  }
  return text;
}

}  // namespace kbsim::report
