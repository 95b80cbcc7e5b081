#include "mixed_program.hpp"

#include "kbsim/hw/control/i_host.hpp"

#include "random_machine.hpp"

namespace kbsim::hw::test {
namespace {

constexpr DType kByte = DType::u8;

struct MixArgs {
  int seed;
  int most;
};

// Runs on a ring of the PEs of a package; each sends to the next. All kinds of commands, with many issued at
// one time.
Task<> mix(TL& tl, MixArgs args) {
  Random random{static_cast<std::uint64_t>(args.seed)};  // the same choices on every PE
  const Ptr here{.va = kVa, .dtype = kByte};
  for (int round = 0; round < 3; ++round) {
    const std::int64_t n = random.between(1, args.most);
    auto loading = tl.load(here, {n}, kByte);
    auto also = tl.load(here.bytes(5000), {n}, kByte);
    const Tile a = tl.zeros({n}, kByte);
    auto first = tl.send({.dir = {"next"}, .src = a, .tag = 1});
    const Tile b = co_await loading;
    const Tile c = a + b;
    auto second = tl.send({.dir = {"next"}, .src = c, .tag = 2});
    auto third = tl.send({.dir = {"next"}, .src = c, .tag = 3});
    auto storing = tl.store(here.bytes(5000), c);
    auto x_coming = tl.recv({.dir = {"previous"}, .shape = {n}, .dtype = kByte, .tag = 1});
    auto y_coming = tl.recv({.dir = {"previous"}, .shape = {n}, .dtype = kByte, .tag = 2});
    auto z_coming = tl.recv({.dir = {"previous"}, .shape = {n}, .dtype = kByte, .tag = 3});
    {
      const Tile x = co_await x_coming;
      const Tile y = co_await y_coming;
      const Tile d = x + y;
      tl.store(here.bytes(9000), d).detach();
      x_coming = {};
      y_coming = {};
    }
    const Tile z = co_await z_coming;
    const Tile e = co_await also;
    co_await tl.store(here.bytes(round * 1000), z + e);
    co_await first;
    co_await second;
    co_await third;
    co_await storing;
  }
}

// In HBM, or in the TCMs of PEs that use them for their tiles, too.
std::vector<hw::ControlTarget> maps(const Rig& rig, const std::vector<PeCoord>& pes, bool in_tcm) {
  std::vector<hw::ControlTarget> targets;
  for (const PeCoord at : pes) {
    const PeCoord owner{.sip = at.sip, .cube = 0, .pe = at.pe};  // several PEs share a slice
    const Bytes offset{at.cube * 20000};
    const topology::Mapping mapping{
        .va = kVa,
        .pa = in_tcm ? topology::PhysAddr::pe_tcm(owner, offset) : in_hbm(*rig.spec, owner, offset.count()),
        .bytes = 20000_B};
    targets.push_back({.pe = at, .action = hw::MapPages{.mappings = {mapping}}, .size = 24_B});
  }
  return targets;
}

Task<> one_rank(Rig* rig, int rank, MixArgs args) {
  std::vector<PeCoord> pes;
  for (int i = 0; i < rig->spec->cubes_per_sip() * rig->spec->pes_per_cube(); ++i)
    pes.push_back({rank, i / rig->spec->pes_per_cube(), i % rig->spec->pes_per_cube()});
  hw::IHost& host = hw::host_of(*rig->machine);
  const NodeId everybodys = rig->hbm({0, 0, 0});
  const oplog::Slice nothing{.value = {}, .offset = 0, .bytes = 1000 + rank};
  co_await host.write(rank, everybodys, 100 * rank, nothing);
  (void)co_await rig->order(maps(*rig, pes, args.seed % 3 == 0), rank);
  const QueueSettings settings{
      .slots = 3, .slot_size = args.most > 1024 ? 5_KiB : 1_KiB, .credit_size = 16_B};
  (void)co_await rig->order(ring_of(pes, settings), rank);
  (void)co_await rig->launch(pes, bind_kernel("mix", mix, args), rank);
  (void)co_await host.read(rank, everybodys, 0, 2000_B);
}

}  // namespace

QueueSet ring_queues(PeCoord previous, PeCoord me, PeCoord next, QueueSettings settings) {
  const auto end = [me](PeCoord peer, const char* direction, Bytes mine, Bytes theirs) {
    return QueuePairPlan{.direction = direction,
                         .peer = peer,
                         .my_base = topology::PhysAddr::pe_ipcq(me, mine),
                         .peer_base = topology::PhysAddr::pe_ipcq(peer, theirs)};
  };
  return {.queues = {end(next, "next", 0_KiB, 16_KiB), end(previous, "previous", 16_KiB, 0_KiB)},
          .settings = settings};
}

std::vector<ControlTarget> ring_of(const std::vector<PeCoord>& pes, QueueSettings settings) {
  std::vector<ControlTarget> targets;
  for (std::size_t i = 0; i < pes.size(); ++i) {
    const PeCoord next = pes[(i + 1) % pes.size()];
    const PeCoord previous = pes[(i + pes.size() - 1) % pes.size()];
    targets.push_back({.pe = pes[i], .action = ring_queues(previous, pes[i], next, settings), .size = 64_B});
  }
  return targets;
}

config::MachineSpec simultaneous(config::MachineSpec spec) {
  spec.system.ns_per_mm = 0.0;
  for (ComponentSpec* part : {&spec.system.components.pcie_switch, &spec.sip.ucie, &spec.sip.io.pcie_ep,
                              &spec.sip.io.io_cpu, &spec.sip.io.router, &spec.cube.noc.router,
                              &spec.cube.m_cpu, &spec.cube.xbar, &spec.pe.pe_mmu, &spec.pe.pe_ipcq})
    part->attrs["overhead_ns"] = 0.0;
  for (ComponentSpec* memory : {&spec.cube.hbm_ctrl, &spec.cube.sram, &spec.pe.pe_tcm})
    memory->attrs["access_ns"] = 0.0;
  spec.pe.pe_cpu.attrs["dispatch_cycles"] = std::int64_t{0};
  return spec;
}

void start_mixed_program(Rig& rig, int seed, int most) {
  for (int rank = 0; rank < rig.spec->system.sips.count; ++rank)
    (void)rig.sim.spawn("rank " + std::to_string(rank), one_rank(&rig, rank, {seed, most}));
}

}  // namespace kbsim::hw::test
