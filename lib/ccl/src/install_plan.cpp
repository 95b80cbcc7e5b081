#include "kbsim/ccl/install_plan.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::ccl {
namespace {

using RingKey = std::pair<PeCoord, std::string>;
using Rings = std::map<RingKey, topology::PhysAddr>;

void require_supported(const config::AlgorithmSpec& algorithm) {
  if (algorithm.buffer_kind != "tcm") {
    throw Unsupported{"buffer_kind: " + algorithm.buffer_kind +
                      " (rings outside TCM) is not supported yet; use tcm"};
  }
  if (algorithm.backpressure != "sleep") {
    throw Unsupported{"backpressure: " + algorithm.backpressure + " is not supported yet; use sleep"};
  }
  if (algorithm.vc_chunk_size != config::CclSettings{}.vc_chunk_size) {
    throw Unsupported{
        "vc_chunk_size of one algorithm is not supported yet; set pe.pe_dma.vc_chunk_size for all"};
  }
}

Bytes ring_size(const config::AlgorithmSpec& algorithm) {
  const Bytes room = info(topology::Region::ipcq).size;
  if (algorithm.slot_size > room / algorithm.n_slots) {
    throw UsageError{
        fmt::format("{} slots (n_slots) of {} (slot_size) are more than a PE's whole IPCQ space, {}",
                    algorithm.n_slots, to_string(algorithm.slot_size), to_string(room))};
  }
  return algorithm.slot_size * algorithm.n_slots;
}

Rings reserve_rings(const Wiring& wiring, Bytes size, topology::MachineAllocators& allocators) {
  Rings rings;
  for (const auto& [pe, neighbours] : wiring) {
    for (const Neighbour& neighbour : neighbours) {
      const topology::PhysAddr ring = allocators.pe(pe).ipcq.allocate(size);
      if (rings.emplace(RingKey{pe, neighbour.direction}, ring).second) continue;
      throw UsageError{fmt::format("{} has two queues labelled {}", to_string(pe), neighbour.direction)};
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
  require_supported(algorithm);
  const std::vector<PeCoord> participants = mappers().at(algorithm.mapper).participants(machine);
  const Wiring wiring = topologies().at(algorithm.topology).wire(machine, participants);
  const Rings rings = reserve_rings(wiring, ring_size(algorithm), allocators);
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
