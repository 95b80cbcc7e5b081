#include <algorithm>

#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

std::vector<PeCoord> pes(const config::MachineSpec& machine, int per_cube) {
  std::vector<PeCoord> all;
  for (int sip = 0; sip < machine.system.sips.count; ++sip) {
    for (int cube = 0; cube < machine.cubes_per_sip(); ++cube) {
      for (int pe = 0; pe < per_cube; ++pe) all.push_back({sip, cube, pe});
    }
  }
  return all;
}

std::vector<PeCoord> leader_only(const config::MachineSpec& machine) { return pes(machine, 1); }
std::vector<PeCoord> all_pes(const config::MachineSpec& machine) {
  return pes(machine, machine.pes_per_cube());
}

// Every participant of the tensor's SIP has just one shard, and nobody else has any.
std::string single_shard_per_rank(const std::vector<topology::ShardSpec>& shards,
                                  const std::vector<PeCoord>& participants) {
  if (shards.empty()) return "a tensor with elements";
  std::vector<PeCoord> owners;
  for (const topology::ShardSpec& shard : shards) owners.push_back(shard.at);
  std::ranges::sort(owners);
  std::vector<PeCoord> expected;
  const auto of_sip = [&](const PeCoord& pe) { return pe.sip == owners.front().sip; };
  std::ranges::copy_if(participants, std::back_inserter(expected), of_sip);
  return owners == expected ? "" : "one shard on each participating PE and none elsewhere";
}

}  // namespace

Registry<Mapper>& mappers() {
  static Registry<Mapper> registry = [] {
    Registry<Mapper> builtin{"mapper"};
    builtin.add("leader_only", {.doc = "PE 0 of each cube", .participants = leader_only});
    builtin.add("all_pes", {.doc = "every PE", .participants = all_pes});
    return builtin;
  }();
  return registry;
}

Registry<Validator>& validators() {
  static Registry<Validator> registry = [] {
    Registry<Validator> builtin{"validator"};
    builtin.add("single_shard_per_rank",
                {.doc = "one shard on each participating PE", .check = single_shard_per_rank});
    return builtin;
  }();
  return registry;
}

}  // namespace kbsim::ccl
