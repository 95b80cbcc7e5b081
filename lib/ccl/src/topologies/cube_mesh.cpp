// The wiring of intercube algorithms: cubes of a package as a mesh, packages as system.sips joins them.
#include <array>
#include <optional>

#include "kbsim/ccl/wiring.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::ccl {
namespace {

using topology::Side;

// E, W, N, S to the same PE of the neighbouring cubes; the mesh of cubes doesn't wrap.
void add_cube_neighbours(const config::MachineSpec& machine, PeCoord at, std::vector<Neighbour>& to) {
  const int w = machine.sip.cube_mesh.w;
  const int column = at.cube % w;
  const auto add = [&](bool there, const char* direction, int cube) {
    if (there) to.push_back({.direction = direction, .peer = {at.sip, cube, at.pe}});
  };
  add(column + 1 < w, "E", at.cube + 1);
  add(column > 0, "W", at.cube - 1);
  add(at.cube >= w, "N", at.cube - w);
  add(at.cube + w < machine.cubes_per_sip(), "S", at.cube + w);
}

// global_E and so on to the same PE of the same cube on the neighbouring packages.
void add_sip_neighbours(const topology::SipGrid& grid, PeCoord at, std::vector<Neighbour>& to) {
  constexpr std::array<const char*, 4> kLabels{"global_E", "global_W", "global_N", "global_S"};
  for (const Side side : topology::kSides) {
    if (const std::optional<int> sip = grid.neighbour(at.sip, side)) {
      to.push_back({.direction = kLabels[index(side)], .peer = {*sip, at.cube, at.pe}});
    }
  }
}

Wiring cube_mesh(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  const topology::SipGrid grid{machine.system.sips};
  Wiring wiring;
  for (const PeCoord& at : participants) {
    std::vector<Neighbour>& neighbours = wiring[at];
    add_cube_neighbours(machine, at, neighbours);
    add_sip_neighbours(grid, at, neighbours);
  }
  for (auto& [at, neighbours] : wiring) {
    std::erase_if(neighbours, [&](const Neighbour& n) { return !wiring.contains(n.peer); });
  }
  return wiring;
}

KBSIM_TOPOLOGY(cube_mesh, "the same PE of neighbouring cubes, and of neighbouring packages");

}  // namespace
}  // namespace kbsim::ccl
