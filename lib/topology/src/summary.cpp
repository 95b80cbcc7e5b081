#include "kbsim/topology/summary.hpp"

namespace kbsim::topology {
namespace {

// A multiple of a figure that may be missing.
std::optional<double> times(double n, std::optional<double> figure) {
  return figure ? std::optional{n * *figure} : std::nullopt;
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
  s.hbm = memory.hbm_per_pe * s.pes;
  s.sram = memory.sram * s.cubes;
  s.tcm = memory.tcm * s.pes;
  s.hbm_raw_gbs = s.pes * spec.cube.xbar_to_hbm.gbs();
  s.hbm_effective_gbs = times(s.hbm_raw_gbs, figures.hbm_efficiency);
  s.macs_per_ns = times(s.pes, figures.macs_per_ns);
  s.bisection = bisections(graph);
  s.farthest = farthest(graph, figures.overhead);
  return s;
}

}  // namespace kbsim::topology
