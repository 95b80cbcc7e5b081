#include <map>
#include <set>

#include <doctest/doctest.h>

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

int pairs_of_mesh(int w, int h) { return (w - 1) * h + w * (h - 1); }

/// Wires between packages, one for each pair of ports.
int wires_between_sips(const config::SipsSpec& sips) {
  const SipGrid grid{sips};
  const int w = grid.width();
  const int h = grid.height();
  if (sips.topology == config::SipTopology::mesh_2d_no_wrap) return pairs_of_mesh(w, h);
  return sips.count * ((w > 1 ? 1 : 0) + (h > 1 ? 1 : 0));
}

std::map<NodeKind, int> expected_nodes(const config::MachineSpec& spec) {
  const int sips = spec.system.sips.count;
  const int columns = spec.sip.cube_mesh.w;
  const int cubes = sips * spec.cubes_per_sip();
  const int pes = cubes * spec.pes_per_cube();
  return {{NodeKind::host, 1},
          {NodeKind::pcie_switch, 1},
          {NodeKind::pcie_ep, sips},
          {NodeKind::io_cpu, sips},
          {NodeKind::router, sips * columns + cubes * spec.cube.noc.w * spec.cube.noc.h},
          {NodeKind::ucie, sips * columns + 4 * cubes + 2 * wires_between_sips(spec.system.sips)},
          {NodeKind::m_cpu, cubes},
          {NodeKind::xbar, cubes},
          {NodeKind::sram, cubes},
          {NodeKind::hbm_ctrl, pes},
          {NodeKind::pe_cpu, pes},
          {NodeKind::pe_scheduler, pes},
          {NodeKind::pe_dma, pes},
          {NodeKind::pe_gemm, pes},
          {NodeKind::pe_math, pes},
          {NodeKind::pe_tcm, pes},
          {NodeKind::pe_mmu, pes},
          {NodeKind::pe_ipcq, pes}};
}

std::map<NodeKind, int> count_nodes(const Graph& graph) {
  std::map<NodeKind, int> counts;
  for (const Node& node : graph.nodes()) ++counts[node.kind];
  return counts;
}

/// The routers of a cube that have PEs, and so a link to the crossbar.
int routers_with_pes(const config::MachineSpec& spec) {
  const int half = (spec.cube.noc.w + 1) / 2;
  const int steps = std::min(spec.cube.pe_layout.pe_per_corner, half);
  std::set<std::pair<int, int>> cells;
  for (const config::Corner corner : spec.cube.pe_layout.corners) {
    for (int i = 0; i < steps; ++i) {
      cells.insert(
          {is_north(corner) ? 0 : spec.cube.noc.h - 1, is_west(corner) ? i : spec.cube.noc.w - 1 - i});
    }
  }
  return static_cast<int>(cells.size());
}

int expected_wires(const config::MachineSpec& spec) {
  const config::ExtentSpec mesh = spec.sip.cube_mesh;
  const int in_pe = 5;       // two ports to the NOC; TCM and IPCQ are at one, MMU at the other
  const int at_xbar = 2;     // PE to crossbar, crossbar to slice
  const int shared = 4 + 2;  // UCIe ports, M_CPU and SRAM
  const int cube = pairs_of_mesh(spec.cube.noc.w, spec.cube.noc.h) + shared +
                   spec.pes_per_cube() * (in_pe + at_xbar) + routers_with_pes(spec);
  const int io = 3 + mesh.w + (mesh.w - 1);  // to the switch, PCIE_EP, IO_CPU; UCIe ports; its NOC
  const int sip = io + mesh.w + pairs_of_mesh(mesh.w, mesh.h) + spec.cubes_per_sip() * cube;
  return 1 + spec.system.sips.count * sip + 3 * wires_between_sips(spec.system.sips);
}

}  // namespace

TEST_CASE("Graph: the default machine has 3066 nodes and 6182 links") {
  const Graph graph = graph_of({});
  CHECK(graph.nodes().size() == 3066);
  CHECK(graph.links().size() == 6182);
}

TEST_CASE("Graph: the numbers of nodes and links follow from the machine's counts") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const config::MachineSpec spec = random_machine(seed);
    const Graph graph = graph_of(spec);
    CHECK(count_nodes(graph) == expected_nodes(spec));
    CHECK(static_cast<int>(graph.links().size()) == 2 * expected_wires(spec));
  }
}

TEST_CASE("Graph: every package, cube and PE of the machine can be asked for") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const config::MachineSpec spec = random_machine(seed);
    const Graph graph = graph_of(spec);
    REQUIRE(static_cast<int>(graph.sips().size()) == spec.system.sips.count);
    for (const SipNodes& sip : graph.sips()) {
      REQUIRE(static_cast<int>(sip.cubes.size()) == spec.cubes_per_sip());
      CHECK(static_cast<int>(sip.io_noc.size()) == spec.sip.cube_mesh.w);
      for (const CubeNodes& cube : sip.cubes) {
        CHECK(static_cast<int>(cube.pes.size()) == spec.pes_per_cube());
        CHECK(static_cast<int>(cube.hbm.size()) == spec.pes_per_cube());
      }
    }
  }
}
