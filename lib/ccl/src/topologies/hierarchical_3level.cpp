// The wiring of hierarchical algorithms: rings of the PEs of a cube, of a package's cubes, and of packages.
#include <algorithm>
#include <utility>
#include <vector>

#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

// Adds both neighbours of a place in a ring of `size`, by the labels that lead on and back.
template <class At>
void add_ring(std::vector<Neighbour>& to, int place, int size, const char* on, const char* back, At at) {
  if (size == 1) return;
  to.push_back({.direction = on, .peer = at((place + 1) % size)});
  to.push_back({.direction = back, .peer = at((place + size - 1) % size)});
}

Wiring hierarchical_3level(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  const std::vector<int> ring = ring_of_ranks(machine);
  Wiring wiring;
  for (const PeCoord& me : participants) {
    std::vector<Neighbour>& to = wiring[me];
    add_ring(to, me.pe, machine.pes_per_cube(), "E", "W",
             [&](int pe) { return PeCoord{me.sip, me.cube, pe}; });
    if (me.pe != 0) continue;
    add_ring(to, me.cube, machine.cubes_per_sip(), "N", "S",
             [&](int cube) { return PeCoord{me.sip, cube, 0}; });
    if (me.cube != 0) continue;
    const auto place = static_cast<int>(std::ranges::find(ring, me.sip) - ring.begin());
    const int packages = machine.system.sips.count;
    const auto leader = [&](int at) { return PeCoord{ring[static_cast<std::size_t>(at)], 0, 0}; };
    add_ring(to, place, packages, "global_E", "global_W", leader);
    if (packages > 1) to.push_back({.direction = "parent", .peer = leader((place + 1) % packages)});
  }
  for (auto& [at, neighbours] : wiring) {
    std::erase_if(neighbours, [&](const Neighbour& n) { return !wiring.contains(n.peer); });
  }
  return without_one_way(std::move(wiring));
}

KBSIM_TOPOLOGY(
    hierarchical_3level,
    "rings of a cube's PEs (E, W), of the cubes' PEs 0 (N, S), and of the packages' PEs 0 of cube 0 "
    "(global_E, global_W; of two packages parent, too)");

}  // namespace
}  // namespace kbsim::ccl
