#include "harness.hpp"

#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/sim/when_all.hpp"

namespace kbsim::hw::test {
namespace {

QueueSet end_of_queue(const Rig& rig, PeCoord me, PeCoord peer, const std::string& direction,
                      const Rig::Rings& rings, std::optional<Time> poll) {
  const QueuePairPlan queue{.direction = direction,
                            .peer = peer,
                            .my_base = rig.ring(me, rings.memory),
                            .peer_base = rig.ring(peer, rings.memory)};
  return {.queues = {queue},
          .settings = {.slots = rings.slots,
                       .slot_size = rings.slot_size,
                       .credit_size = rings.credit,
                       .vc_chunk = rings.vc_chunk,
                       .poll = poll,
                       .direct_credit = rings.direct_credit}};
}

}  // namespace

config::MachineSpec small_machine() {
  config::MachineSpec spec;
  spec.system.sips.count = 1;
  spec.sip.cube_mesh = {.w = 2, .h = 1};
  spec.cube.pe_layout = {.corners = {config::Corner::NW, config::Corner::SE}, .pe_per_corner = 1};
  return spec;
}

topology::PhysAddr in_hbm(const config::MachineSpec& spec, PeCoord pe, std::int64_t offset) {
  return topology::PhysAddr::pe_hbm(pe, Bytes{offset}, spec.hbm_per_pe());
}

Rig::Rig(config::MachineSpec machine_spec, const SimulationOptions& options, oplog::Keep keep)
    : spec{std::make_shared<const config::MachineSpec>(std::move(machine_spec))},
      sim{options},
      log{keep},
      graph{topology::compile(spec)},
      machine{std::make_unique<Machine>(sim, graph, log)} {}

Rig::Rig(config::MachineSpec machine_spec, const SimulationOptions& options, Divided, oplog::Keep keep)
    : spec{std::make_shared<const config::MachineSpec>(std::move(machine_spec))},
      sim{options},
      log{keep},
      graph{topology::compile(spec)},
      machine{std::make_unique<Machine>(sim, graph, log, options)} {}

void Rig::run(Task<> program, std::string name) {
  (void)sim.spawn(std::move(name), std::move(program));
  sim.run();
}

Task<Activity> Rig::order(std::vector<ControlTarget> targets, int rank) {
  const int sip = targets.front().pe.sip;
  auto job = std::make_shared<ControlJob>(ControlJob{.targets = std::move(targets)});
  const Activity activity = co_await host_of(*machine).order(rank, sip, std::move(job));
  co_return activity;
}

Task<Activity> Rig::launch(std::vector<PeCoord> pes, KernelCall kernel, int rank) {
  const auto call = std::make_shared<const KernelCall>(std::move(kernel));
  std::vector<ControlTarget> targets;
  for (const PeCoord at : pes) targets.push_back({.pe = at, .action = Launch{call}, .size = {}});
  const Activity activity = co_await order(std::move(targets), rank);
  co_return activity;
}

Task<> Rig::map(PeCoord pe, std::uint64_t va, topology::PhysAddr pa, Bytes bytes) {
  MapPages pages{.mappings = {{.va = va, .pa = pa, .bytes = bytes}}};
  std::vector<ControlTarget> targets{{.pe = pe, .action = std::move(pages), .size = {}}};
  co_await order(std::move(targets));
}

topology::PhysAddr Rig::ring(PeCoord at, topology::Region memory) const {
  if (memory == topology::Region::hbm && spec->shares_hbm()) memory = topology::Region::sram;
  if (memory == topology::Region::hbm) return in_hbm(*spec, at, (512_MiB).count());
  if (memory == topology::Region::sram) return topology::PhysAddr::cube_sram(at.sip, at.cube, at.pe * 1_MiB);
  return topology::PhysAddr::pe_ipcq(at, {});
}

Task<> Rig::connect(PeCoord from, PeCoord to, Rings rings) {
  std::vector<ControlTarget> sender{
      {.pe = from, .action = end_of_queue(*this, from, to, "to", rings, rings.sender_polls), .size = {}}};
  std::vector<ControlTarget> receiver{
      {.pe = to, .action = end_of_queue(*this, to, from, "from", rings, rings.receiver_polls), .size = {}}};
  co_await order(std::move(sender));
  co_await order(std::move(receiver));
}

Task<> map_and_launch(Rig* rig, PeCoord pe, topology::PhysAddr memory, KernelCall kernel) {
  co_await rig->map(pe, kVa, memory, 1_MiB);
  std::vector<PeCoord> one{pe};
  co_await rig->launch(std::move(one), std::move(kernel));
}

}  // namespace kbsim::hw::test
