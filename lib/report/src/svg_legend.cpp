#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/report/number_text.hpp"

#include "machine_drawing.hpp"

namespace kbsim::report {
namespace {

constexpr double kRow = 20.0;

class Column {
 public:
  Column(Svg& svg, double x, double y, double w, std::string_view title)
      : svg_{svg}, x_{x}, y_{y + 14}, w_{w} {
    svg_.text("bold", 13, x_, y_, title);
  }

  void link(const topology::LinkGroup& group) {
    y_ += kRow;
    svg_.line(look_of(group.link_class), width_of(group.bandwidth),
              fmt::format("M{:.1f} {:.1f}h24", x_, y_ - 4));
    svg_.text("", 12, x_ + 34, y_, to_string(group.link_class));
    svg_.text("end", 12, x_ + 0.64 * w_, y_, rate(group.bandwidth.gbs()));
    const std::string wire = number(to_ns(group.shortest));
    svg_.text("end soft", 12, x_ + w_, y_,
              group.shortest == group.longest ? wire + " ns"
                                              : fmt::format("{}–{} ns", wire, number(to_ns(group.longest))));
  }

  void row(std::string_view name, const std::string& value) {
    y_ += kRow;
    svg_.text("soft", 12, x_, y_, name);
    svg_.text("end", 12, x_ + w_, y_, value);
  }

 private:
  Svg& svg_;
  double x_, y_, w_;
};

void draw_links(Svg& svg, const MachineReport& machine, double x, double y, double w) {
  Column column{svg, x, y, w, "Links: bandwidth a direction, wire delay"};
  for (const topology::LinkGroup& group : machine.summary.groups) column.link(group);
}

// Custom components and their models.
void add_own(Column& column, std::string_view owner, const config::PartsSpec& parts) {
  for (const auto& [name, part] : parts) column.row(fmt::format("{} {}", owner, name), part.model.impl);
}

// Each kind of node that delays messages passing through it.
void draw_overheads(Svg& svg, const MachineReport& machine, double x, double y, double w) {
  std::map<topology::NodeKind, std::pair<Time, Time>> range;
  for (const auto& [node, overhead] : ranges::views::zip(machine.graph.nodes(), machine.figures.overhead)) {
    if (overhead == Time{0}) continue;
    auto& [least, most] = range.try_emplace(node.kind, overhead, overhead).first->second;
    least = std::min(least, overhead);
    most = std::max(most, overhead);
  }
  Column column{svg, x, y, w, "Parts: overhead"};
  for (const auto& [kind, overhead] : range) {
    const auto [least, most] = overhead;
    column.row(to_string(kind), least == most ? to_string(least)
                                              : fmt::format("{}–{}", number(to_ns(least)), to_string(most)));
  }
  const config::MachineSpec& spec = machine.graph.spec();
  add_own(column, "IO chiplet's", spec.sip.io.parts);
  add_own(column, "cube's", spec.cube.parts);
  add_own(column, "PE's", spec.pe.parts);
}

// Rings, one-way links and memory channels of a floor plan; channels of the links between packages.
void add_plan(Column& column, const topology::Graph& graph) {
  const config::MachineSpec& spec = graph.spec();
  const config::FloorPlan& plan = graph.plan();
  if (!plan.channels.empty()) {
    std::size_t ports = 0;
    for (const auto& routers : plan.channels) ports += routers.size();
    column.row("memory channels of a cube",
               fmt::format("{} of {}, {}", plan.channels.size(),
                           rate(spec.cube.floorplan.hbm.bandwidth.gbs()), counted(ports, "port")));
  }
  const std::string way = spec.cube.one_way() ? ", one way" : "";
  const std::string rings = spec.cube.noc.wrap ? "rows and columns are rings" + way : "";
  const std::string networks =
      spec.cube.noc.has_several() ? counted(spec.cube.noc.networks(), "network") : "";
  if (!rings.empty() || !networks.empty())
    column.row("NOC", networks + (rings.empty() || networks.empty() ? "" : ", ") + rings);
  const config::ChipLinkSpec& link = spec.system.sips.link;
  if (!spec.system.sips.is_listed() && link.channels > 1)
    column.row("a package link", fmt::format("{} channels of {}", link.channels, rate(link.bandwidth.gbs())));
}

void draw_totals(Svg& svg, const MachineReport& machine, double x, double y, double w) {
  const topology::Summary& s = machine.summary;
  Column column{svg, x, y, w, "In all"};
  column.row(s.hbm_effective_gbs ? "HBM, effective rate" : "HBM, raw rate",
             fmt::format("{}, {}", size(s.hbm), rate(s.hbm_effective_gbs.value_or(s.hbm_raw_gbs))));
  add_plan(column, machine.graph);
  column.row("SRAM, TCM", fmt::format("{}, {}", size(s.sram), size(s.tcm)));
  if (s.tflops()) column.row("GEMM", number(*s.tflops(), 1) + " TFLOP/s");
  if (s.bisection.noc) column.row("bisection of a cube's NOC", rate(*s.bisection.noc));
  if (s.bisection.package) column.row("bisection of a package's cubes", rate(*s.bisection.package));
  if (s.bisection.system) column.row("bisection of the packages", rate(*s.bisection.system));
  if (s.farthest) {
    column.row("most hops from PE to PE", std::to_string(s.farthest->diameter));
    column.row("longest way of a control message", to_string(s.farthest->path.latency()));
  }
}

}  // namespace

std::string_view look_of(topology::LinkClass link_class) {
  constexpr std::array<std::string_view, topology::kLinkClasses> kLooks{
      "l-host", "l-package", "l-io", "l-ucie", "l-noc", "l-xbar", "l-pe", "l-pe", "l-hbm", "l-hbm"};
  return kLooks[static_cast<std::size_t>(link_class)];
}

double width_of(Bandwidth bandwidth) { return std::clamp(0.15 * std::sqrt(bandwidth.gbs()), 1.0, 7.0); }

void draw_legend(Svg& svg, const MachineReport& machine, const Box& area, bool one_row) {
  constexpr double kGap = 48.0;
  if (one_row) {
    const double w = (area.w - 2 * kGap) / 3;
    draw_links(svg, machine, area.x, area.y, w);
    draw_overheads(svg, machine, area.x + w + kGap, area.y, w);
    draw_totals(svg, machine, area.x + 2 * (w + kGap), area.y, w);
  } else {
    draw_links(svg, machine, area.x, area.y, 0.58 * area.w);
    draw_overheads(svg, machine, area.x + 0.58 * area.w + kGap, area.y, 0.42 * area.w - kGap);
    const auto rows = static_cast<double>(machine.summary.groups.size()) + 3.0;
    draw_totals(svg, machine, area.x, area.y + rows * kRow, 0.58 * area.w);
  }
}

}  // namespace kbsim::report
