#include "kbsim/ccl/mapper.hpp"

namespace kbsim::ccl {
namespace {

std::vector<PeCoord> cube_leaders(const config::MachineSpec& machine) {
  return first_pes(machine, machine.cubes_per_sip(), 1);
}
KBSIM_MAPPER(cube_leaders, "PE 0 of each cube");

}  // namespace
}  // namespace kbsim::ccl
