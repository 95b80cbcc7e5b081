// PEs in open lines: the first has no neighbour to the W, the last has none to the E.
#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

// `number` is a PE's place in its line; PEs that differ in nothing else are in one line.
Wiring lines_along(int PeCoord::* number, const std::vector<PeCoord>& participants) {
  Wiring wiring;
  for (const PeCoord& at : participants) wiring[at];
  for (auto& [at, to] : wiring) {
    PeCoord east = at;
    PeCoord west = at;
    ++(east.*number);
    --(west.*number);
    if (wiring.contains(east)) to.push_back({.direction = "E", .peer = east});
    if (wiring.contains(west)) to.push_back({.direction = "W", .peer = west});
  }
  return wiring;
}

Wiring line_of_pes(const config::MachineSpec&, const std::vector<PeCoord>& participants) {
  return lines_along(&PeCoord::pe, participants);
}
KBSIM_TOPOLOGY(line_of_pes, "the PEs of each cube by number: the next one E, the one before W, no wrap");

Wiring line_of_cubes(const config::MachineSpec&, const std::vector<PeCoord>& participants) {
  return lines_along(&PeCoord::cube, participants);
}
KBSIM_TOPOLOGY(line_of_cubes,
               "the same PE of each package's cubes by number: the next one E, the one before W, no wrap");

}  // namespace
}  // namespace kbsim::ccl
