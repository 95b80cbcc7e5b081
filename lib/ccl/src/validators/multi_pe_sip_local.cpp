#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"

namespace kbsim::ccl {
namespace {

// Every PE of the tensor's SIP has just one shard, whoever takes part.
std::string multi_pe_sip_local(const std::vector<topology::ShardSpec>& shards, const std::vector<PeCoord>&,
                               const config::MachineSpec& machine) {
  if (shards.empty()) return "a tensor with elements";
  const std::vector<PeCoord> all = first_pes(machine, machine.cubes_per_sip(), machine.pes_per_cube());
  return owned_by(shards, all) ? "" : "one shard on every PE of the package";
}
KBSIM_VALIDATOR(multi_pe_sip_local, "one shard on every PE of the package");

}  // namespace
}  // namespace kbsim::ccl
