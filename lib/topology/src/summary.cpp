#include "kbsim/topology/summary.hpp"

#include "kbsim/topology/hbm_channels.hpp"

namespace kbsim::topology {
namespace {

// A multiple of a figure that may be missing.
std::optional<double> times(double n, std::optional<double> figure) {
  return figure ? std::optional{n * *figure} : std::nullopt;
}

Bytes hbm_of_cube(const config::MachineSpec& spec) {
  return spec.shares_hbm() ? HbmChannels{spec.cube.floorplan}.size()
                           : spec.cube.memory.hbm_per_pe * spec.pes_per_cube();
}

double hbm_gbs_of_cube(const config::MachineSpec& spec) {
  const config::FloorPlanSpec& plan = spec.cube.floorplan;
  return spec.shares_hbm() ? plan.channels() * plan.hbm.bandwidth.gbs()
                           : spec.pes_per_cube() * spec.cube.xbar_to_hbm.gbs();
}

}  // namespace

Summary summarize(const Graph& graph, const Figures& figures) {
  const config::MachineSpec& spec = graph.spec();
  const config::MemorySpec& memory = spec.cube.memory;
  Summary s{.packages = spec.system.sips.count};
  s.cubes = s.packages * spec.cubes_per_sip();
  s.pes = s.cubes * spec.pes_per_cube();
  s.nodes = static_cast<int>(graph.nodes().size());
  s.links = static_cast<int>(graph.links().size());
  s.groups = link_groups(graph);
  s.hbm = hbm_of_cube(spec) * s.cubes;
  s.sram = memory.sram * s.cubes;
  s.tcm = memory.tcm * s.pes;
  s.hbm_raw_gbs = s.cubes * hbm_gbs_of_cube(spec);
  s.hbm_effective_gbs = times(s.hbm_raw_gbs, figures.hbm_efficiency);
  s.macs_per_ns = times(s.pes, figures.macs_per_ns);
  s.bisection = bisections(graph);
  s.farthest = farthest(graph, figures.overhead);
  return s;
}

}  // namespace kbsim::topology
