// The wiring of operations on all PEs of a package: each PE reaches those of its cube, and the same PE of the
// cubes in its row and column of the mesh.
#include <string>

#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

void add_cube(PeCoord at, int pes, std::vector<Neighbour>& to) {
  for (int pe = 0; pe < pes; ++pe) {
    if (pe != at.pe) to.push_back({.direction = "pe" + std::to_string(pe), .peer = {at.sip, at.cube, pe}});
  }
}

void add_row(PeCoord at, int w, std::vector<Neighbour>& to) {
  const int first = at.cube - at.cube % w;
  for (int x = 0; x < w; ++x) {
    if (first + x != at.cube)
      to.push_back({.direction = "row" + std::to_string(x), .peer = {at.sip, first + x, at.pe}});
  }
}

void add_column(PeCoord at, int w, int h, std::vector<Neighbour>& to) {
  for (int y = 0; y < h; ++y) {
    const int cube = y * w + at.cube % w;
    if (cube != at.cube)
      to.push_back({.direction = "col" + std::to_string(y), .peer = {at.sip, cube, at.pe}});
  }
}

Wiring package_exchange(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  Wiring wiring;
  for (const PeCoord& at : participants) {
    std::vector<Neighbour>& to = wiring[at];
    add_cube(at, machine.pes_per_cube(), to);
    add_row(at, machine.sip.cube_mesh.w, to);
    add_column(at, machine.sip.cube_mesh.w, machine.sip.cube_mesh.h, to);
  }
  for (auto& [at, neighbours] : wiring) {
    std::erase_if(neighbours, [&](const Neighbour& n) { return !wiring.contains(n.peer); });
  }
  return wiring;
}
KBSIM_TOPOLOGY(package_exchange,
               "each PE with those of its cube (pe0, pe1, ...) and with the same PE of the cubes in its row "
               "(row0, ...) and in its column (col0, ...) of the mesh");

}  // namespace
}  // namespace kbsim::ccl
