// Atomics in time: costs, order of service, and races.
#include <doctest/doctest.h>

#include "kbsim/hw/fabric/i_spans.hpp"
#include "kbsim/hw/locate.hpp"

#include "harness.hpp"
#include "idle.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::atomics_test {
namespace {

constexpr PeCoord kOne{0, 0, 0};
constexpr PeCoord kTwo{0, 0, 1};
constexpr Ptr kAt{.va = kVa, .dtype = i32};

struct TookArgs {
  std::int64_t n = 1;
  Time* took = nullptr;
};

Task<> adds(TL& tl, TookArgs args) {
  const Tile one = tl.full({args.n}, 1, i32);
  co_await tl.atomic_add(kAt, one);  // the tile is ready from here on
  const Time start = tl.clock();
  co_await tl.atomic_add(kAt, one);
  *args.took = tl.clock() - start;
}

Task<> exchanges_if(TL& tl, TookArgs args) {
  const Tile one = tl.full({args.n}, 1, i32);
  co_await tl.atomic_cas(kAt, one, one);
  const Time start = tl.clock();
  co_await tl.atomic_cas(kAt, one, one);
  *args.took = tl.clock() - start;
}

// The first tile is large, so that the engine takes long for it.
Task<> adds_what_comes_late(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  const Tile late = tl.sum(tl.full({64, 100}, 1, i32), {.axis = 0});
  const Time ready = 8_ns + 100_ns;  // the fill alone
  co_await tl.atomic_add(kAt, late);
  *args.took = tl.clock() - start;
  CHECK(*args.took > ready);
}

topology::PhysAddr any_address(Random& random, const config::MachineSpec& spec) {
  const PeCoord at = random_pe(random, spec);
  const Bytes offset{4 * random.below(1000)};
  return random.any_of({in_hbm(spec, at, offset.count()),
                        topology::PhysAddr::cube_sram(at.sip, at.cube, offset),
                        topology::PhysAddr::pe_tcm(at, offset)});
}

// Time from a PE's issue to the start of its DMA.
Time before_dma(const Rig& rig, PeCoord pe) {
  return from_ns(attr(rig.graph.node(rig.pe(pe).cpu), "dispatch_cycles", 4.0)) +
         from_ns(attr(rig.graph.node(rig.pe(pe).mmu), "overhead_ns", 1.0));
}

Time took(Task<> (*kernel)(TL&, TookArgs), std::int64_t n) {
  Time took{};
  Rig rig{small_machine()};
  rig.run(map_and_launch(&rig, kOne, in_hbm(*rig.spec, kOne),
                         bind_kernel("kernel", kernel, TookArgs{.n = n, .took = &took})));
  return took;
}

// Waits at TCM's read port and at the links out of TCM.
class Waits final : public ISpans {
 public:
  explicit Waits(const Rig& rig) : rig_{rig} {}
  void add(const Span& span) override {
    if (span.kind == SpanKind::port && span.unit == rig_.pe(kOne).tcm && span.what == "read")
      at_port += span.start - span.ready;
  }
  void open(const void*, const Span&) override {}
  void close(const void*, Time, const SpanFlow&) override {}
  void add_packet(const LinkSpan& span) override {
    if (rig_.graph.link(span.link).from != rig_.pe(kOne).tcm) return;
    at_link += span.start - span.ready;
    ++packets;
  }

  Time at_port{};
  Time at_link{};
  int packets = 0;

 private:
  const Rig& rig_;
};

config::MachineSpec with_tcm(double read_gbs, double write_gbs) {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_tcm.attrs["read_bw_gbs"] = read_gbs;
  spec.pe.pe_tcm.attrs["write_bw_gbs"] = write_gbs;
  return spec;
}

// Service times of the memory for each part of an atomic of 64 elements.
std::vector<Time> work_at(const config::MachineSpec& spec, const topology::PhysAddr& address) {
  Time took{};
  Rig rig{spec};
  rig.run(map_and_launch(&rig, kOne, address, bind_kernel("adds", adds, TookArgs{.n = 64, .took = &took})));
  const NodeId memory = hw::locate(rig.graph, address).memory;
  std::vector<Time> all;
  for (std::uint32_t lane = 0; lane < rig.log.lanes(); ++lane) {
    for (const oplog::Op& op : rig.log.ops(lane)) {
      if (op.unit == memory && op.kind == oplog::OpKind::binary) all.push_back(op.end - op.start);
    }
  }
  return all;
}

struct NoArgs {};
using Kernel = Task<> (*)(TL&, NoArgs);

Task<> counts(TL& tl, NoArgs) {
  for (int i = 0; i < 20; ++i) co_await tl.atomic_add(kAt, 1);
}

Task<> one_counts_one_stores(TL& tl, NoArgs) {
  if (tl.program_id(0) == 0) {
    auto added = tl.atomic_add(kAt, 1);
    co_await added;
  } else {
    co_await tl.store(kAt, tl.zeros({1}, i32));
  }
}

Task<> counts_and_loads(TL& tl, NoArgs) {
  auto added = tl.atomic_add(kAt, 1);
  co_await tl.load(kAt, {1}, i32);
  co_await added;
}

Task<> on_both(Rig* rig, Kernel kernel) {
  for (const PeCoord pe : {kOne, kTwo}) co_await rig->map(pe, kVa, in_hbm(*rig->spec, kOne), 1_MiB);
  std::vector<PeCoord> both{kOne, kTwo};
  co_await rig->launch(std::move(both), bind_kernel("kernel", kernel, NoArgs{}));
}

struct Outcome {
  std::vector<std::string> races;
  std::uint64_t digest = 0;
};

Outcome run(Kernel kernel, const SimulationOptions& options = {}) {
  Rig rig{small_machine(), options};
  rig.machine->races().watch(oplog::RaceMode::warn);
  rig.run(on_both(&rig, kernel));
  rig.machine->fabric().audit();
  return {.races = rig.machine->races().reports(), .digest = rig.machine->digest().value()};
}

}  // namespace

TEST_CASE("Idle PE: an atomic takes dispatch, MMU, the operand's way, and the old value's back into TCM") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random{seed};
    Rig rig{random_machine(random)};
    const PeCoord pe = random_pe(random, *rig.spec);
    const topology::PhysAddr address = any_address(random, *rig.spec);
    const NodeId memory = hw::locate(rig.graph, address).memory;
    CAPTURE(seed);
    CAPTURE(rig.graph.node(memory).name);
    CAPTURE(rig.spec->system.packet_bytes.count());
    const Expected expected =
        crossing(way_from_memory(rig.graph, rig.pe(pe).tcm, memory), cut(rig.graph, 4_B)) +
        crossing(way_between_memories(rig.graph, memory, rig.pe(pe).tcm), cut(rig.graph, 4_B)) +
        before_dma(rig, pe);
    Time took{};
    rig.run(map_and_launch(&rig, pe, address, bind_kernel("adds", adds, TookArgs{.n = 1, .took = &took})));
    CHECK_MESSAGE(meets(took, expected), to_string(took));
    rig.machine->fabric().audit();
  }
}

TEST_CASE("Atomic: a memory reads and writes each packet of it before the next") {
  const Time twice = 2 * 1250_ps;  // 256 B at 204.8 GB/s
  CHECK(took(adds, 16 * 64) == took(adds, 64) + 15 * twice);
  const Time half = 2 * 625_ps;  // both operands in a packet, at 256 GB/s on the way: 1 ns each
  CHECK(took(exchanges_if, 16 * 32) == took(exchanges_if, 32) + 15 * half);
}

// 256 B: at 100 GB/s in 2.56 ns, at 50 in 5.12; a slice of HBM has one port for both, of 204.8 GB/s.
TEST_CASE("Atomic: a memory writes back when it has read, also by a port of its own") {
  CHECK(work_at(with_tcm(100.0, 50.0), topology::PhysAddr::pe_tcm(kTwo, 0_B)) ==
        std::vector<Time>(2, 2560_ps + 5120_ps));
  CHECK(work_at(small_machine(), in_hbm(small_machine(), kOne)) == std::vector<Time>(2, 2 * 1250_ps));
}

// The DMA's port has 256 GB/s.
TEST_CASE("Atomic: operands leave TCM at its pace or the DMA port's, the slower one, and none waits there") {
  for (const double gbs : {32.0, 100.0, 256.0, 512.0}) {
    CAPTURE(gbs);
    Time took{};
    Rig rig{with_tcm(gbs, 512.0)};
    Waits waits{rig};
    rig.machine->fabric().record_spans(&waits);
    rig.run(map_and_launch(&rig, kOne, in_hbm(*rig.spec, kOne),
                           bind_kernel("adds", adds, TookArgs{.n = 16 * 64, .took = &took})));
    CHECK(waits.packets >= 32);
    CHECK(waits.at_port == Time{0});
    CHECK(waits.at_link == Time{0});
  }
}

TEST_CASE("Atomic: starts no sooner than its operand is ready") { (void)took(adds_what_comes_late, 1); }

TEST_CASE("Atomic: of one word from two PEs at one time, no order of events shows") {
  const Outcome expected = run(counts);
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    CAPTURE(seed);
    CHECK(run(counts, {.shuffle_ties = seed}).digest == expected.digest);
  }
}

TEST_CASE("Race: two atomics on one word don't; one beside a plain store or load does, and has its name") {
  CHECK(run(counts).races.empty());
  const auto beside_store = run(one_counts_one_stores).races;
  REQUIRE(beside_store.size() == 1);
  CHECK(beside_store[0].find("pe0, atomic_add of operation 0:") != std::string::npos);
  CHECK(beside_store[0].find("pe1, store of operation 1:") != std::string::npos);
  CHECK(run(counts_and_loads).races.size() >= 1);
}

}  // namespace kbsim::hw::test::atomics_test
