#include "kbsim/ccl/mapper.hpp"

namespace kbsim::ccl {
namespace {

std::vector<PeCoord> all_pes(const config::MachineSpec& machine) {
  return first_pes(machine, machine.cubes_per_sip(), machine.pes_per_cube());
}
KBSIM_MAPPER(all_pes, "every PE");

}  // namespace
}  // namespace kbsim::ccl
