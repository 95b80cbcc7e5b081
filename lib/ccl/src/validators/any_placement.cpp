#include "kbsim/ccl/validator.hpp"

namespace kbsim::ccl {
namespace {

std::string any_placement(const std::vector<topology::ShardSpec>&, const std::vector<PeCoord>&,
                          const config::MachineSpec&) {
  return "";
}
KBSIM_VALIDATOR(any_placement, "any tensor; a collective's plan asks that all PEs of the package share it");

}  // namespace
}  // namespace kbsim::ccl
