#include <doctest/doctest.h>

#include "kbsim/hw/locate.hpp"

#include "harness.hpp"
#include "idle.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::idle_pe_test {
namespace {

constexpr DType kByte = DType::u8;
constexpr Ptr kAt{.va = kVa, .dtype = kByte};
constexpr Bytes kRequest = 4_KiB;

struct MoveArgs {
  std::int64_t n;
  Time* took;
};

Task<> load_once(TL& tl, MoveArgs args) {
  const Time start = tl.clock();
  co_await tl.load(kAt, {args.n}, kByte);
  *args.took = tl.clock() - start;
}

Task<> store_once(TL& tl, MoveArgs args) {
  const Tile tile = tl.zeros({args.n}, kByte);
  co_await tl.store(kAt, tile);  // the tile is ready from here on
  const Time start = tl.clock();
  co_await tl.store(kAt, tile);
  *args.took = tl.clock() - start;
}

topology::PhysAddr any_address(Random& random, const config::MachineSpec& spec) {
  const PeCoord at = random_pe(random, spec);
  const Bytes offset{random.below(1000)};
  return random.any_of({in_hbm(spec, at, offset.count()),
                        topology::PhysAddr::cube_sram(at.sip, at.cube, offset),
                        topology::PhysAddr::pe_tcm(at, offset)});
}

// Time from a PE's issue to the start of its DMA.
Time before_dma(const Rig& rig, PeCoord pe) {
  return from_ns(attr(rig.graph.node(rig.pe(pe).cpu), "dispatch_cycles", 4.0)) +
         from_ns(attr(rig.graph.node(rig.pe(pe).mmu), "overhead_ns", 1.0));
}

}  // namespace

TEST_CASE("Idle PE: a load takes dispatch, MMU, the request's way, and the data's way into TCM") {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    Random random{seed};
    Rig rig{random_machine(random)};
    const PeCoord pe = random_pe(random, *rig.spec);
    const topology::PhysAddr address = any_address(random, *rig.spec);
    const Bytes n{random.between(1, 65536)};
    const NodeId memory = hw::locate(rig.graph, address).memory;
    CAPTURE(seed);
    CAPTURE(rig.graph.node(memory).name);
    CAPTURE(to_string(pe));
    CAPTURE(rig.spec->system.packet_bytes.count());
    CAPTURE(n.count());
    const Expected expected =
        crossing(way(rig.graph, rig.pe(pe).dma, memory), control(rig.graph)) +
        crossing(way_between_memories(rig.graph, memory, rig.pe(pe).tcm), cut(rig.graph, n, kRequest)) +
        before_dma(rig, pe);
    CAPTURE(text(expected));
    Time took{};
    rig.run(map_and_launch(&rig, pe, address, bind_kernel("load", load_once, MoveArgs{n.count(), &took})));
    CHECK_MESSAGE(meets(took, expected), to_string(took));
  }
}

TEST_CASE("Idle PE: a store takes dispatch, MMU, the data's way from TCM, and the acknowledgement's") {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    Random random{seed};
    Rig rig{random_machine(random)};
    const PeCoord pe = random_pe(random, *rig.spec);
    const topology::PhysAddr address = any_address(random, *rig.spec);
    const Bytes n{random.between(1, 65536)};
    const NodeId memory = hw::locate(rig.graph, address).memory;
    CAPTURE(seed);
    CAPTURE(rig.graph.node(memory).name);
    CAPTURE(to_string(pe));
    CAPTURE(rig.spec->system.packet_bytes.count());
    CAPTURE(n.count());
    if (memory == rig.pe(pe).tcm) continue;  // passes no link, but the DMA's port sets the pace
    const Expected expected =
        crossing(way_between_memories(rig.graph, rig.pe(pe).tcm, memory), cut(rig.graph, n, kRequest)) +
        crossing(way(rig.graph, memory, rig.pe(pe).dma), control(rig.graph)) + before_dma(rig, pe);
    CAPTURE(text(expected));
    Time took{};
    rig.run(map_and_launch(&rig, pe, address, bind_kernel("store", store_once, MoveArgs{n.count(), &took})));
    CHECK_MESSAGE(meets(took, expected), to_string(took));
  }
}

}  // namespace kbsim::hw::test::idle_pe_test
