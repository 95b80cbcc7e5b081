// Ranks in a ring: each is joined with the next one and the one before.
#include <algorithm>

#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

// `ring` has the ranks in their order; `east` is the flow at a rank's end of the queue to the next rank.
Wiring close(const std::vector<int>& ring, const std::vector<PeCoord>& participants, Flow east = Flow::both) {
  const std::size_t n = ring.size();
  return wire_ranks(participants, [&](int rank) {
    if (n == 1) return std::vector<RankNeighbour>{};
    const auto at = static_cast<std::size_t>(std::ranges::find(ring, rank) - ring.begin());
    return std::vector<RankNeighbour>{{"E", ring[(at + 1) % n], east},
                                      {"W", ring[(at + n - 1) % n], answer(east)}};
  });
}

Wiring ring_1d(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return close(ring_of_ranks(machine), participants);
}
KBSIM_TOPOLOGY(ring_1d, "each rank with the next one, E, and the one before, W, along the wires");

Wiring ring_1d_unidir(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return close(ring_of_ranks(machine), participants, Flow::sends);
}
KBSIM_TOPOLOGY(ring_1d_unidir, "ring_1d in one direction: each rank sends E only, and receives W only");

Wiring ring_by_rank(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return close(ranks_by_number(machine), participants);
}
KBSIM_TOPOLOGY(ring_by_rank, "each rank with that of the next number, E, and of the one before, W");

}  // namespace
}  // namespace kbsim::ccl
