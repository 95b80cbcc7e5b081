// Ranks with direct queues: to all other ranks, or to the ranks at distances 1, 2, 4, ...

#include "kbsim/base/rank_label.hpp"
#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

Wiring wire_labels(const config::MachineSpec& machine, const std::vector<PeCoord>& participants,
                   const std::function<bool(int rank, int other, int ranks)>& joined) {
  const int n = machine.system.sips.count;
  return wire_ranks(participants, [&](int rank) {
    std::vector<RankNeighbour> neighbours;
    for (int other = 0; other < n; ++other) {
      if (other != rank && joined(rank, other, n))
        neighbours.push_back({rank_label(other).text().data(), other});
    }
    return neighbours;
  });
}

Wiring all_pairs(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return wire_labels(machine, participants, [](int, int, int) { return true; });
}
KBSIM_TOPOLOGY(all_pairs, "each rank with each other one, by the label of its number: rank0, rank1, ...");

Wiring full(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return all_pairs(machine, participants);
}
KBSIM_TOPOLOGY(full, "all_pairs by another name");

bool at_doubling_distance(int rank, int other, int ranks) {
  const int ahead = (other - rank + ranks) % ranks;
  for (int distance = 1; distance < ranks; distance *= 2) {
    if (ahead == distance || ranks - ahead == distance) return true;
  }
  return false;
}

Wiring doubling_distances(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return wire_labels(machine, participants, at_doubling_distance);
}
KBSIM_TOPOLOGY(doubling_distances,
               "each rank with those 1, 2, 4, ... before and after it, by the labels of their numbers");

}  // namespace
}  // namespace kbsim::ccl
