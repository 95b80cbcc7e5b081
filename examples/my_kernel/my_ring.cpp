// The neighbours of each rank in a ring: the next rank is E, the rank before is W.
#include "kbsim/ccl/wiring.hpp"

using kbsim::PeCoord;
using kbsim::ccl::RankNeighbour;
using kbsim::ccl::Wiring;

Wiring my_ring(const kbsim::config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  const int n = machine.system.sips.count;
  return kbsim::ccl::wire_ranks(participants, [n](int rank) {
    if (n == 1) return std::vector<RankNeighbour>{};
    return std::vector<RankNeighbour>{{"E", (rank + 1) % n}, {"W", (rank + n - 1) % n}};
  });
}
KBSIM_TOPOLOGY(my_ring, "the ranks in a ring, by their numbers");
