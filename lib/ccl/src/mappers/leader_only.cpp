#include "kbsim/ccl/mapper.hpp"

namespace kbsim::ccl {
namespace {

std::vector<PeCoord> leader_only(const config::MachineSpec& machine) { return first_pes(machine, 1, 1); }
KBSIM_MAPPER(leader_only, "PE 0 of cube 0 of each package");

}  // namespace
}  // namespace kbsim::ccl
