#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

Wiring none(const config::MachineSpec&, const std::vector<PeCoord>& participants) {
  return wire_ranks(participants, [](int) { return std::vector<RankNeighbour>{}; });
}
KBSIM_TOPOLOGY(none, "no rank has a neighbour");

}  // namespace
}  // namespace kbsim::ccl
