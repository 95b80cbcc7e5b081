// The page: the system beside an enlarged cube, or above it if the packages form a long row.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"

#include "machine_drawing.hpp"

namespace kbsim::report {
namespace {

constexpr double kWidth = 1400.0;
constexpr double kMargin = 20.0;
constexpr double kTop = 76.0;
constexpr double kCubePanel = 590.0;  // width
constexpr double kCubeHeight = 640.0;
constexpr double kLegendHeight = 250.0;  // at least

std::string title(const config::MachineSpec& spec) {
  return fmt::format("{} of {} × {} cube{}, {} a cube", counted(spec.system.sips.count, "package"),
                     spec.sip.cube_mesh.w, spec.sip.cube_mesh.h, spec.cubes_per_sip() == 1 ? "" : "s",
                     counted(spec.pes_per_cube(), "PE"));
}

double legend_height(const MachineReport& machine) {
  constexpr std::size_t kMostTotals = 11;
  const std::size_t totals = has_plan(machine.graph.spec().cube) ? kMostTotals : 0;
  return std::max(kLegendHeight,
                  68 + 20 * static_cast<double>(std::max(machine.summary.groups.size(), totals)));
}

std::string joined(const topology::Graph& graph) {
  const config::SipsSpec& sips = graph.spec().system.sips;
  if (!sips.is_listed()) return fmt::format("as {}", to_string(sips.topology));
  const std::string links = "by " + counted(sips.links.size(), "link");
  const std::size_t switches = graph.switches().size();
  return switches == 0 ? links : fmt::format("{} and {}", links, counted(switches, "switch", "switches"));
}

Box panel(Svg& svg, const Box& box, std::string_view name, std::string_view look = "bold") {
  svg.rect("panel", box, 8);
  svg.text(look, 14, box.x + 16, box.y + 26, name);
  return {box.x + 16, box.y + 36, box.w - 32, box.h - 48};
}

std::string zoom(const Box& from, const Box& to, bool to_the_right) {
  if (to_the_right)
    return fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}V{:.1f}L{:.1f} {:.1f}Z", from.right(), from.y, to.x, to.y,
                       to.bottom(), from.right(), from.bottom());
  return fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}H{:.1f}L{:.1f} {:.1f}Z", from.x, from.bottom(), to.x, to.y,
                     to.right(), from.right(), from.bottom());
}

}  // namespace

std::string to_svg(const MachineReport& machine, SvgNames names) {
  const config::MachineSpec& spec = machine.graph.spec();
  const double inner = kWidth - 2 * kMargin;
  const bool beside = system_aspect(machine.graph) < 2.6;
  const double system_height = beside ? kCubeHeight : 400.0;
  const Box system{kMargin, kTop, beside ? inner - kCubePanel - kMargin : inner, system_height};
  const Box cube{beside ? system.right() + kMargin : kMargin, beside ? kTop : system.bottom() + kMargin,
                 kCubePanel, kCubeHeight};
  const Box legend = beside ? Box{kMargin, system.bottom() + kMargin, inner, legend_height(machine)}
                            : Box{cube.right() + kMargin, cube.y, inner - kCubePanel - kMargin, kCubeHeight};
  Svg svg{names};
  svg.text("bold", 24, kMargin, 38, title(spec));
  svg.text("soft", 13, kMargin, 60,
           fmt::format("packages joined {}; lines are wider with more bandwidth", joined(machine.graph)));
  const Box system_area = panel(svg, system, "System");
  const Box cube_area = panel(svg, cube, "One cube, enlarged", "bold enlarged");
  const Box die{cube_area.x + 14, cube_area.y + 12, cube_area.w - 28, cube_area.h - 24};
  const Enlarged enlarged = draw_system(svg, machine.graph, system_area, beside);
  svg.area("zoom", zoom(enlarged.box, die, beside));
  if (has_plan(spec.cube))
    draw_plan(svg, machine.graph, die);
  else
    draw_cube(svg, machine.graph, die);
  const Box legend_area = panel(svg, legend, "Legend");
  draw_legend(svg, machine, legend_area, beside);
  return svg.finish(kWidth, (beside ? legend : cube).bottom() + kMargin, title(spec));
}

}  // namespace kbsim::report
