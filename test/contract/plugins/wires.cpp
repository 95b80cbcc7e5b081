// A topology, a mapper and a validator from outside.
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"

using namespace kbsim;

ccl::Wiring alone(const config::MachineSpec&, const std::vector<PeCoord>& participants) {
  return ccl::wire_ranks(participants, [](int) { return std::vector<ccl::RankNeighbour>{}; });
}
KBSIM_TOPOLOGY(alone, "no rank has a neighbour, from outside");

std::vector<PeCoord> two_of_a_cube(const config::MachineSpec& machine) {
  return ccl::first_pes(machine, 1, 2);
}
KBSIM_MAPPER(two_of_a_cube, "two PEs of a cube, from outside");

std::string nothing(const std::vector<topology::ShardSpec>&, const std::vector<PeCoord>&,
                    const config::MachineSpec&) {
  return "what nobody has";
}
KBSIM_VALIDATOR(nothing, "no tensor, from outside");
