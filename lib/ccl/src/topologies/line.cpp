// PEs in open lines: the first has no neighbour to the W, the last has none to the E.
#include <algorithm>

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

Wiring line_of_packages(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  const std::vector<int> line = line_of_ranks(machine);
  return wire_ranks(participants, [&](int rank) {
    const auto at = std::ranges::find(line, rank);
    std::vector<RankNeighbour> neighbours;
    if (at + 1 != line.end()) neighbours.push_back({"E", *(at + 1)});
    if (at != line.begin()) neighbours.push_back({"W", *(at - 1)});
    return neighbours;
  });
}
KBSIM_TOPOLOGY(line_of_packages,
               "each rank with the next one, E, and the one before, W, no wrap: along the rows of a grid of "
               "packages to and fro, else by number");

}  // namespace
}  // namespace kbsim::ccl
