// The ranks as a binary tree, numbered level by level.
#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

Wiring tree_binary(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  const int n = machine.system.sips.count;
  return wire_ranks(participants, [n](int rank) {
    std::vector<RankNeighbour> neighbours;
    if (rank > 0) neighbours.push_back({"parent", (rank - 1) / 2});
    if (2 * rank + 1 < n) neighbours.push_back({"child_left", 2 * rank + 1});
    if (2 * rank + 2 < n) neighbours.push_back({"child_right", 2 * rank + 2});
    return neighbours;
  });
}
KBSIM_TOPOLOGY(tree_binary, "rank r with its parent (r - 1) / 2, child_left 2 r + 1 and child_right 2 r + 2");

}  // namespace
}  // namespace kbsim::ccl
