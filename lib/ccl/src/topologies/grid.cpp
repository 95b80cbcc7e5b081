// The ranks as a grid, whatever joins their packages: the grid of system.sips, or the squarest one.
#include <array>
#include <optional>

#include "kbsim/ccl/wiring.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::ccl {
namespace {

Wiring grid(const config::MachineSpec& machine, const std::vector<PeCoord>& participants, bool wraps) {
  constexpr std::array<const char*, 4> kLabels{"E", "W", "N", "S"};
  config::SipsSpec sips = machine.system.sips;
  sips.topology = wraps ? config::SipTopology::torus_2d : config::SipTopology::mesh_2d_no_wrap;
  const topology::SipGrid joined{sips};
  return wire_ranks(participants, [&](int rank) {
    std::vector<RankNeighbour> neighbours;
    for (const topology::Side side : topology::kSides) {
      if (const std::optional<int> sip = joined.neighbour(rank, side)) {
        neighbours.push_back({kLabels[index(side)], *sip});
      }
    }
    return neighbours;
  });
}

Wiring torus_2d(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return grid(machine, participants, true);
}
KBSIM_TOPOLOGY(torus_2d, "the ranks as a grid that wraps: E, W, N, S");

Wiring mesh_2d(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return grid(machine, participants, true);
}
KBSIM_TOPOLOGY(mesh_2d, "torus_2d by its older name");

Wiring mesh_2d_no_wrap(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return grid(machine, participants, false);
}
KBSIM_TOPOLOGY(mesh_2d_no_wrap, "the ranks as a grid that doesn't wrap: E, W, N, S");

}  // namespace
}  // namespace kbsim::ccl
