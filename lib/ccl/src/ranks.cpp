#include "kbsim/ccl/ranks.hpp"

#include <utility>

#include <fmt/format.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/transform.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/mapper.hpp"

namespace kbsim::ccl {
namespace {

namespace views = ranges::views;

constexpr const char* kOnePe = "leader_only";

// Whether each group of `pes` PEs (a cube or a package) that has ranks has the same number of them: all its
// PEs have one, or it is the only group.
bool is_whole(int ranks, int pes) { return ranks <= pes || ranks % pes == 0; }

void require_pes(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine) {
  const auto require = [&](bool holds, const std::string& why) {
    if (holds) return;
    throw UsageError{fmt::format("world_size {} of algorithm '{}' on a machine of {}: its ranks are PEs, {}",
                                 algorithm.world_size, algorithm.name,
                                 counted(machine.system.sips.count, "SIP"), why)};
  };
  const int pes = machine.pes_per_cube();
  const int of_package = machine.cubes_per_sip() * pes;
  require(algorithm.world_size <= machine.system.sips.count * of_package,
          "and " + there_are(machine.system.sips.count * of_package, "PE"));
  require(is_whole(algorithm.world_size, pes), fmt::format("of whole cubes, which have {} each", pes));
  require(is_whole(algorithm.world_size, of_package),
          fmt::format("of whole packages, which have {} each", of_package));
  require(algorithm.mapper == kOnePe,
          fmt::format("which mapper {} doesn't place: it needs {}", algorithm.mapper, kOnePe));
}

std::vector<PeCoord> flat_pes(const config::MachineSpec& machine, int ranks) {
  const auto place = [&](int rank) { return flat_pe(machine, rank); };
  return views::indices(ranks) | views::transform(place) | ranges::to<std::vector>;
}

}  // namespace

bool ranks_are_pes(const config::AlgorithmSpec& algorithm) { return algorithm.world_size != 0; }

int ranks_of(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine) {
  return ranks_are_pes(algorithm) ? algorithm.world_size : machine.system.sips.count;
}

PeCoord flat_pe(const config::MachineSpec& machine, int rank) {
  const int pes = machine.pes_per_cube();
  const int cubes = machine.cubes_per_sip();
  return {rank / (pes * cubes), rank / pes % cubes, rank % pes};
}

config::MachineSpec machine_of_ranks(const config::MachineSpec& machine, int ranks) {
  config::MachineSpec flat = machine;
  config::SipsSpec& sips = flat.system.sips;
  sips.count = ranks;
  sips.topology = config::SipTopology::ring_1d;
  sips.w = sips.h = 0;
  return flat;
}

Wiring wire_at(const Topology& topology, const config::MachineSpec& machine,
               const std::vector<PeCoord>& of_ranks) {
  const int ranks = static_cast<int>(of_ranks.size());
  const auto there = [&](PeCoord at) { return of_ranks[static_cast<std::size_t>(at.sip)]; };
  const config::MachineSpec flat = machine_of_ranks(machine, ranks);
  Wiring wiring;
  for (const auto& [at, neighbours] : topology.wire(flat, first_pes(flat, 1, 1))) {
    std::vector<Neighbour>& to = wiring[there(at)];
    for (const Neighbour& one : neighbours)
      to.push_back({.direction = one.direction, .peer = there(one.peer), .flow = one.flow});
  }
  return wiring;
}

Wiring queues_of(const config::AlgorithmSpec& algorithm, Wiring wiring) {
  if (algorithm.unpaired == config::Unpaired::refuse) return wiring;
  return without_one_way(std::move(wiring));
}

std::vector<PeCoord> participants_of(const config::AlgorithmSpec& algorithm,
                                     const config::MachineSpec& machine) {
  if (!ranks_are_pes(algorithm)) return mappers().at(algorithm.mapper).participants(machine);
  require_pes(algorithm, machine);
  return flat_pes(machine, algorithm.world_size);
}

Wiring wiring_of(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine) {
  const Topology& topology = topologies().at(algorithm.topology);
  const std::vector<PeCoord> participants = participants_of(algorithm, machine);
  return queues_of(algorithm, ranks_are_pes(algorithm) ? wire_at(topology, machine, participants)
                                                       : topology.wire(machine, participants));
}

}  // namespace kbsim::ccl
