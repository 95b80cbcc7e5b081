#include "kbsim/ccl/install_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/ranks.hpp"

namespace kbsim::ccl {
namespace {

namespace views = ranges::views;

// The address of a ring, and the bytes of a TCM that it takes.
struct Ring {
  topology::PhysAddr at = {};
  std::optional<topology::PhysAddr> tcm = {};
};
// The rings of each PE of a wiring, in the order of its neighbours.
using Rings = std::map<PeCoord, std::vector<Ring>>;

// A memory that holds rings, and its bytes that a PE may use.
struct RingMemory {
  topology::Region region;
  std::string_view whole;
  Bytes size;
};

RingMemory ring_memory(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine) {
  const config::MemorySpec& memory = machine.cube.memory;
  using topology::Region;
  using enum config::BufferKind;
  if (algorithm.buffer_kind == hbm && machine.shares_hbm())
    throw Unsupported{fmt::format(
        "{}: slots in HBM whose channels the PEs share (cube.floorplan.hbm): buffer_kind: tcm or sram",
        algorithm.name)};
  if (algorithm.buffer_kind == hbm) return {Region::hbm, "a PE's HBM slice", memory.hbm_per_pe};
  if (algorithm.buffer_kind == sram) return {Region::sram, "a cube's SRAM", memory.sram};
  return {Region::ipcq, "a PE's TCM beside the scheduler's part", memory.tcm - memory.tcm_scheduler};
}

Bytes ring_size(const config::AlgorithmSpec& algorithm, const RingMemory& memory) {
  if (algorithm.slot_size > memory.size / algorithm.n_slots) {
    throw UsageError{fmt::format(
        "{} (n_slots) of {} (slot_size) {} more than {}, {}; lower "
        "ccl.defaults.slot_size or ccl.defaults.n_slots, or those of algorithm {}",
        counted(algorithm.n_slots, "slot"), to_string(algorithm.slot_size),
        algorithm.n_slots == 1 ? "is" : "are", memory.whole, to_string(memory.size), algorithm.name)};
  }
  return queue_settings(algorithm).ring_size();
}

// A ring in TCM has an address of its own, in the IPCQ space, and takes bytes of the TCM.
Ring reserve_in_tcm(topology::PeAllocator& pe, PeCoord at, Bytes size) {
  if (size > pe.tcm.largest_free() || size > pe.ipcq.largest_free()) {
    throw UsageError{fmt::format(
        "the rings of {} don't fit its TCM: one of {} more, and {} of {} are left beside the scheduler's "
        "part; "
        "fewer or smaller slots (n_slots, slot_size), or buffer_kind: hbm",
        to_string(at), to_string(size), to_string(std::min(pe.tcm.largest_free(), pe.ipcq.largest_free())),
        to_string(pe.tcm.size()))};
  }
  const topology::PhysAddr tcm = pe.tcm.allocate(size);
  return {.at = pe.ipcq.allocate(size), .tcm = tcm};
}

// Allocates a ring. An end that only sends has none.
Ring reserve_ring(PeCoord pe, Flow flow, topology::Region region, Bytes size,
                  topology::MachineAllocators& allocators) {
  if (!receives(flow)) return {};
  if (region == topology::Region::ipcq) return reserve_in_tcm(allocators.pe(pe), pe, size);
  try {
    return {.at = allocators.memory(pe, region).allocate(size)};
  } catch (const AllocationError& error) {
    throw AllocationError{
        fmt::format("the rings of {} don't fit: {}; fewer or smaller slots (n_slots, slot_size)",
                    to_string(pe), error.what())};
  }
}

void require_own_labels(PeCoord pe, const std::vector<Neighbour>& neighbours) {
  std::set<std::string_view> labels;
  for (const Neighbour& to : neighbours) {
    if (!labels.insert(to.direction).second)
      throw UsageError{fmt::format("{} has two queues labelled {}", to_string(pe), to.direction)};
  }
}

Rings reserve_rings(const Wiring& wiring, topology::Region region, Bytes size,
                    topology::MachineAllocators& allocators) {
  Rings rings;
  for (const auto& [pe, neighbours] : wiring) {
    require_own_labels(pe, neighbours);
    std::vector<Ring>& of_pe = rings.emplace_hint(rings.end(), pe, std::vector<Ring>{})->second;
    of_pe.reserve(neighbours.size());
    for (const Neighbour& neighbour : neighbours)
      of_pe.push_back(reserve_ring(pe, neighbour.flow, region, size, allocators));
  }
  return rings;
}

// The peer's ring of the queue that `from` calls `to`.
const Ring& ring_at_peer(PeCoord from, const Neighbour& to, const Wiring& wiring, const Rings& rings) {
  const std::string label = reverse_direction(wiring, from, to);
  const std::vector<Neighbour>& theirs = wiring.at(to.peer);
  const auto end = std::ranges::find(theirs, label, &Neighbour::direction);
  return rings.at(to.peer)[static_cast<std::size_t>(end - theirs.begin())];
}

PePlan plan_of(PeCoord pe, const Wiring& wiring, const Rings& rings) {
  PePlan plan{.pe = pe, .queues = {}};
  const std::vector<Neighbour>& neighbours = wiring.at(pe);
  plan.queues.reserve(neighbours.size());
  for (const auto& [to, own] : views::zip(neighbours, rings.at(pe))) {
    const Ring& there = ring_at_peer(pe, to, wiring, rings);
    const Ring& mine = receives(to.flow) ? own : there;
    const Ring& theirs = sends(to.flow) ? there : own;
    plan.queues.push_back({.direction = to.direction,
                           .peer = to.peer,
                           .my_ring = mine.at,
                           .peer_ring = theirs.at,
                           .flow = to.flow,
                           .tcm = receives(to.flow) ? mine.tcm : std::nullopt});
  }
  return plan;
}

int package_of(int rank, const std::vector<int>& sips) {
  return sips.empty() ? rank : sips[static_cast<std::size_t>(rank)];
}

// Replaces the numbers of ranks by those of their packages.
Wiring on_packages(Wiring of_ranks, const std::vector<int>& sips) {
  if (sips.empty()) return of_ranks;
  const auto there = [&](PeCoord at) { return PeCoord{package_of(at.sip, sips), at.cube, at.pe}; };
  Wiring wiring;
  for (const auto& [at, neighbours] : of_ranks) {
    std::vector<Neighbour>& to = wiring[there(at)];
    for (const Neighbour& neighbour : neighbours)
      to.push_back({.direction = neighbour.direction, .peer = there(neighbour.peer), .flow = neighbour.flow});
  }
  return wiring;
}

// The wiring among these PEs of each package; without PEs, among the mapper's.
Wiring wiring_among(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine,
                    const std::vector<PeCoord>& pes) {
  if (pes.empty()) return wiring_of(algorithm, machine);
  std::vector<PeCoord> all;
  for (const auto& [sip, pe] : views::cartesian_product(views::indices(machine.system.sips.count), pes))
    all.push_back({sip, pe.cube, pe.pe});
  return queues_of(algorithm, topologies().at(algorithm.topology).wire(machine, all));
}

}  // namespace

QueueSettings queue_settings(const config::AlgorithmSpec& algorithm) {
  const bool polls = algorithm.backpressure == config::Backpressure::poll;
  return {.slots = algorithm.n_slots,
          .slot_size = algorithm.slot_size,
          .credit_size = algorithm.ipcq_credit_size,
          .vc_chunk = algorithm.vc_chunk_size,
          .poll = polls ? std::optional{algorithm.poll} : std::nullopt,
          .carries_over = algorithm.carries_over,
          .direct_credit = algorithm.credit == config::CreditPath::direct};
}

void require_disjoint(const std::vector<InstallPlan>& plans) {
  struct RingOf {
    const PePlan* pe;
    const QueuePlan* queue;
    Bytes size;
  };
  std::vector<RingOf> rings;
  for (const InstallPlan& plan : plans) {
    for (const PePlan& pe : plan.pes) {
      for (const QueuePlan& queue : pe.queues) {
        if (receives(queue.flow)) rings.push_back({&pe, &queue, plan.settings.ring_size()});
      }
    }
  }
  const auto place = [](const RingOf& ring) {
    return std::tie(ring.queue->my_ring, ring.pe->pe, ring.queue->direction);
  };
  std::ranges::sort(rings, {}, place);
  const auto overlap = [](const RingOf& a, const RingOf& b) {
    return b.queue->my_ring - a.queue->my_ring < a.size;
  };
  const auto found = std::ranges::adjacent_find(rings, overlap);
  if (found == rings.end()) return;
  const RingOf& other = *std::next(found);
  throw UsageError{fmt::format("the rings of {} {} and {} {} overlap at {}", to_string(found->pe->pe),
                               found->queue->direction, to_string(other.pe->pe), other.queue->direction,
                               to_string(other.queue->my_ring))};
}

RingBytes ring_bytes(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine) {
  std::int64_t most_of_pe = 0;
  std::map<std::pair<int, int>, std::int64_t> of_cubes;  // by package and cube
  for (const auto& [pe, neighbours] : wiring_of(algorithm, machine)) {
    const std::int64_t rings = std::ranges::count_if(neighbours, &receives, &Neighbour::flow);
    most_of_pe = std::max(most_of_pe, rings);
    of_cubes[{pe.sip, pe.cube}] += rings;
  }
  std::int64_t most_of_cube = 0;
  for (const auto& [cube, rings] : of_cubes) most_of_cube = std::max(most_of_cube, rings);
  const Bytes ring = ring_size(algorithm, ring_memory(algorithm, machine));
  switch (algorithm.buffer_kind) {
    case config::BufferKind::hbm: return {.hbm = ring * most_of_pe};
    case config::BufferKind::sram: return {.sram = ring * most_of_cube};
    case config::BufferKind::tcm: break;
  }
  return {.tcm = ring * most_of_pe};
}

Bytes rings_in_tcm(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine) {
  return algorithm.buffer_kind == config::BufferKind::tcm ? ring_bytes(algorithm, machine).tcm : Bytes{};
}

std::vector<InstallPlan> build_install_plans(const config::AlgorithmSpec& algorithm,
                                             const config::MachineSpec& machine,
                                             topology::MachineAllocators& allocators,
                                             const Membership& members) {
  const Wiring wiring = on_packages(wiring_among(algorithm, machine, members.pes), members.sips);
  const RingMemory memory = ring_memory(algorithm, machine);
  const Rings rings = reserve_rings(wiring, memory.region, ring_size(algorithm, memory), allocators);
  std::vector<InstallPlan> plans;
  std::map<int, std::size_t> plan_at;  // by package
  for (int sip = 0; sip < machine.system.sips.count; ++sip) {
    plan_at.emplace(package_of(sip, members.sips), plans.size());
    plans.push_back({.algorithm = algorithm.name,
                     .sip = package_of(sip, members.sips),
                     .settings = queue_settings(algorithm),
                     .pes = {},
                     .per_pe = algorithm.install == config::Install::per_pe});
  }
  for (const auto& [pe, neighbours] : wiring) {
    const auto plan = plan_at.find(pe.sip);
    if (plan != plan_at.end()) plans[plan->second].pes.push_back(plan_of(pe, wiring, rings));
  }
  require_disjoint(plans);
  return plans;
}

void release_rings(const std::vector<InstallPlan>& plans, topology::MachineAllocators& allocators) {
  for (const InstallPlan& plan : plans) {
    for (const PePlan& pe : plan.pes) {
      for (const QueuePlan& queue : pe.queues) {
        if (!receives(queue.flow)) continue;
        allocators.free(queue.my_ring);
        if (queue.tcm) allocators.free(*queue.tcm);
      }
    }
  }
}

}  // namespace kbsim::ccl
