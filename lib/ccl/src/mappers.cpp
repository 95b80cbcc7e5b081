#include <algorithm>

#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

std::vector<PeCoord> pes(const config::MachineSpec& machine, int cubes, int per_cube) {
  std::vector<PeCoord> all;
  for (int sip = 0; sip < machine.system.sips.count; ++sip) {
    for (int cube = 0; cube < cubes; ++cube) {
      for (int pe = 0; pe < per_cube; ++pe) all.push_back({sip, cube, pe});
    }
  }
  return all;
}

std::vector<PeCoord> leader_only(const config::MachineSpec& machine) { return pes(machine, 1, 1); }
std::vector<PeCoord> cube_leaders(const config::MachineSpec& machine) {
  return pes(machine, machine.cubes_per_sip(), 1);
}
std::vector<PeCoord> all_pes(const config::MachineSpec& machine) {
  return pes(machine, machine.cubes_per_sip(), machine.pes_per_cube());
}

bool owned_by(const std::vector<topology::ShardSpec>& shards, std::vector<PeCoord> pes) {
  std::vector<PeCoord> owners;
  for (const topology::ShardSpec& shard : shards) owners.push_back(shard.at);
  std::ranges::sort(owners);
  std::erase_if(pes, [&](const PeCoord& pe) { return pe.sip != owners.front().sip; });
  return owners == pes;
}

// Every participant of the tensor's SIP has just one shard, and nobody else has any.
std::string single_shard_per_rank(const std::vector<topology::ShardSpec>& shards,
                                  const std::vector<PeCoord>& participants, const config::MachineSpec&) {
  if (shards.empty()) return "a tensor with elements";
  return owned_by(shards, participants) ? "" : "one shard on each participating PE and none elsewhere";
}

// Every PE of the tensor's SIP has just one shard, whoever takes part.
std::string multi_pe_sip_local(const std::vector<topology::ShardSpec>& shards, const std::vector<PeCoord>&,
                               const config::MachineSpec& machine) {
  if (shards.empty()) return "a tensor with elements";
  return owned_by(shards, all_pes(machine)) ? "" : "one shard on every PE of the package";
}

}  // namespace

Registry<Mapper>& mappers() {
  static Registry<Mapper> registry = [] {
    Registry<Mapper> builtin{"mapper"};
    builtin.add("leader_only", {.doc = "PE 0 of cube 0 of each package", .participants = leader_only});
    builtin.add("cube_leaders", {.doc = "PE 0 of each cube", .participants = cube_leaders});
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
    builtin.add("multi_pe_sip_local",
                {.doc = "one shard on every PE of the package", .check = multi_pe_sip_local});
    return builtin;
  }();
  return registry;
}

}  // namespace kbsim::ccl
