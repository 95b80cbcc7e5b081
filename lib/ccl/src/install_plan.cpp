#include "kbsim/ccl/install_plan.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "kbsim/base/error.hpp"

namespace kbsim::ccl {
namespace {

using RingKey = std::pair<PeCoord, std::string>;
using Rings = std::map<RingKey, topology::PhysAddr>;

Rings reserve_rings(const Wiring& wiring, const config::AlgorithmSpec& algorithm,
                    topology::MachineAllocators& allocators) {
  if (algorithm.buffer_kind != "tcm") {
    throw Unsupported{"buffer_kind: " + algorithm.buffer_kind +
                      " (rings outside TCM) is not supported yet; use tcm"};
  }
  if (algorithm.backpressure != "sleep") {
    throw Unsupported{"backpressure: " + algorithm.backpressure + " is not supported yet; use sleep"};
  }
  Rings rings;
  for (const auto& [pe, neighbours] : wiring) {
    for (const Neighbour& neighbour : neighbours) {
      rings[{pe, neighbour.direction}] =
          allocators.pe(pe).ipcq.allocate(algorithm.slot_size * algorithm.n_slots);
    }
  }
  return rings;
}

PePlan plan_of(PeCoord pe, const Wiring& wiring, const Rings& rings) {
  PePlan plan{.pe = pe, .queues = {}};
  for (const Neighbour& to : wiring.at(pe)) {
    plan.queues.push_back({.direction = to.direction,
                           .peer = to.peer,
                           .my_ring = rings.at({pe, to.direction}),
                           .peer_ring = rings.at({to.peer, reverse_direction(wiring, pe, to)})});
  }
  return plan;
}

}  // namespace

std::vector<InstallPlan> build_install_plans(const config::AlgorithmSpec& algorithm,
                                             const config::MachineSpec& machine,
                                             topology::MachineAllocators& allocators) {
  const std::vector<PeCoord> participants = mappers().at(algorithm.mapper).participants(machine);
  const Wiring wiring = topologies().at(algorithm.topology).wire(machine, participants);
  const Rings rings = reserve_rings(wiring, algorithm, allocators);
  std::vector<InstallPlan> plans;
  for (int sip = 0; sip < machine.system.sips.count; ++sip) {
    plans.push_back({.sip = sip,
                     .slots = algorithm.n_slots,
                     .slot_size = algorithm.slot_size,
                     .credit_size = algorithm.ipcq_credit_size,
                     .pes = {}});
  }
  for (const auto& [pe, neighbours] : wiring) {
    plans[static_cast<std::size_t>(pe.sip)].pes.push_back(plan_of(pe, wiring, rings));
  }
  return plans;
}

}  // namespace kbsim::ccl
