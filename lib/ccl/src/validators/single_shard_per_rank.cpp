#include "kbsim/ccl/validator.hpp"

namespace kbsim::ccl {
namespace {

// Every participant of the tensor's SIP has just one shard, and no other PE has any.
std::string single_shard_per_rank(const std::vector<topology::ShardSpec>& shards,
                                  const std::vector<PeCoord>& participants, const config::MachineSpec&) {
  if (shards.empty()) return "a tensor with elements";
  return owned_by(shards, participants) ? "" : "one shard on each participating PE and none elsewhere";
}
KBSIM_VALIDATOR(single_shard_per_rank, "one shard on each participating PE");

}  // namespace
}  // namespace kbsim::ccl
