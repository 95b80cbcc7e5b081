// The wiring of attention on all PEs of a package, where the PEs that share a head lie anywhere: that of
// package_exchange, and a queue between PEs whose numbers differ by a power of two.
#include <algorithm>
#include <string>

#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

bool joined(const std::vector<Neighbour>& to, PeCoord peer) {
  return std::ranges::any_of(to, [&](const Neighbour& n) { return n.peer == peer; });
}

Wiring package_splits(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  Wiring wiring = topologies().at("package_exchange").wire(machine, participants);
  const int pes = machine.pes_per_cube();
  const int all = pes * machine.cubes_per_sip();
  for (auto& [at, to] : wiring) {
    const int own = at.cube * pes + at.pe;
    const auto add = [&](const std::string& direction, int other) {
      const PeCoord peer{at.sip, other / pes, other % pes};
      const bool there = other >= 0 && other < all && wiring.contains(peer);
      if (there && !joined(to, peer)) to.push_back({.direction = direction, .peer = peer});
    };
    for (int bit = 0; 1 << bit < all; ++bit) {
      add("up" + std::to_string(bit), own + (1 << bit));
      add("down" + std::to_string(bit), own - (1 << bit));
    }
  }
  return wiring;
}
KBSIM_TOPOLOGY(
    package_splits,
    "package_exchange, and each PE with those whose numbers in the package are 2^k higher (up0, up1, "
    "...) and lower (down0, ...), unless they are joined already");

}  // namespace
}  // namespace kbsim::ccl
