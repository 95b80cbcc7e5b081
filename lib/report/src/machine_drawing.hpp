#pragma once

#include "kbsim/report/machine_report.hpp"

#include "svg.hpp"

namespace kbsim::report {

/// The style of a link: its class's colour, wider with more bandwidth.
[[nodiscard]] std::string_view look_of(topology::LinkClass link_class);
[[nodiscard]] double width_of(Bandwidth bandwidth);

/// Width over height of all packages in their layout.
[[nodiscard]] double system_aspect(const topology::Graph& graph);

/// The cube that is drawn enlarged, and its place in the system's drawing.
struct Enlarged {
  PeCoord at;
  Box box;
};
/// The packages to scale within `area`; enlarges a cube at its right, or at its bottom.
Enlarged draw_system(Svg& svg, const topology::Graph& graph, const Box& area, bool enlarge_at_right);

/// A cube with a `pe_layout`: its routers, PEs, memories and ports within `area`, its mesh schematically.
void draw_cube(Svg& svg, const topology::Graph& graph, const Box& area);

/// Whether its routers and parts are drawn by the floor plan: it has one, or a NOC of rings.
[[nodiscard]] bool has_plan(const config::CubeSpec& cube);
/// Such a cube: its routers in their places within `area`, what stands at each of them in it.
void draw_plan(Svg& svg, const topology::Graph& graph, const Box& area);

/// Links, parts and totals in one row of columns, or the totals below.
void draw_legend(Svg& svg, const MachineReport& machine, const Box& area, bool one_row);

}  // namespace kbsim::report
