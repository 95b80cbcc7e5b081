#include "kbsim/ccl/validator.hpp"

namespace kbsim::ccl {
namespace {

// Every PE of the tensor's SIP has just one shard, whichever PEs take part.
std::string multi_pe_sip_local(const std::vector<topology::ShardSpec>& shards, const std::vector<PeCoord>&,
                               const config::MachineSpec& machine) {
  if (shards.empty()) return "a tensor with elements";
  std::vector<PeCoord> all;
  for (int cube = 0; cube < machine.cubes_per_sip(); ++cube) {
    for (int pe = 0; pe < machine.pes_per_cube(); ++pe) all.push_back({shards.front().at.sip, cube, pe});
  }
  return owned_by(shards, all) ? "" : "one shard on every PE of the package";
}
KBSIM_VALIDATOR(multi_pe_sip_local, "one shard on every PE of the package");

}  // namespace
}  // namespace kbsim::ccl
