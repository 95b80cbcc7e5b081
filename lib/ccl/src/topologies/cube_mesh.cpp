// The wiring of intercube algorithms: cubes of a package as a mesh, packages as system.sips joins them.
#include <array>
#include <optional>

#include "kbsim/ccl/wiring.hpp"
#include "kbsim/topology/sip_network.hpp"

namespace kbsim::ccl {
namespace {

using topology::Side;

// Labels E, W, N, S lead to the same PE of the neighbouring cubes; the mesh of cubes doesn't wrap.
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

// Labels such as global_parent lead to the same PE of the same cube on the next packages up and down a tree.
void add_tree_neighbours(const topology::SipNetwork& network, PeCoord at, std::vector<Neighbour>& to) {
  for (const topology::SipPort& port : network.ports(at.sip))
    to.push_back({.direction = "global_" + port.name, .peer = {port.peer, at.cube, at.pe}});
}

// Labels such as global_E lead to the neighbours in a grid, else to the next package and the one before.
void add_grid_neighbours(const topology::SipNetwork& network, PeCoord at, std::vector<Neighbour>& to) {
  constexpr std::array<const char*, 4> kLabels{"global_E", "global_W", "global_N", "global_S"};
  for (const Side side : topology::kSides) {
    const Flow flow = side == Side::east ? Flow::sends : Flow::receives;
    if (const std::optional<int> sip = network.grid().neighbour(at.sip, side)) {
      to.push_back({.direction = kLabels[index(side)],
                    .peer = {*sip, at.cube, at.pe},
                    .flow = network.one_way() ? flow : Flow::both});
    }
  }
}

Wiring cube_mesh(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  const topology::SipNetwork network{machine.system.sips};
  const bool tree = machine.system.sips.topology == config::SipTopology::tree_binary;
  const auto add_sip_neighbours = tree ? add_tree_neighbours : add_grid_neighbours;
  Wiring wiring;
  for (const PeCoord& at : participants) {
    std::vector<Neighbour>& neighbours = wiring[at];
    add_cube_neighbours(machine, at, neighbours);
    add_sip_neighbours(network, at, neighbours);
  }
  for (auto& [at, neighbours] : wiring) {
    std::erase_if(neighbours, [&](const Neighbour& n) { return !wiring.contains(n.peer); });
  }
  return wiring;
}

KBSIM_TOPOLOGY(cube_mesh, "the same PE of neighbouring cubes, and of neighbouring packages");

}  // namespace
}  // namespace kbsim::ccl
