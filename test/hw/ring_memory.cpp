#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/locate.hpp"

#include "harness.hpp"
#include "idle.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::ring_memory_test {

using topology::Region;

namespace {

constexpr DType kByte = DType::u8;
constexpr Bytes kRequest = 4_KiB;

struct Times {
  Time sent{};      // a tile was handed to pe_ipcq
  Time received{};  // and is in the receiver's TCM
  Time second{};    // so is the second one
};

struct QueueArgs {
  std::int64_t n;
  Times* times;
};

// The end of the second send is reported only when all is over.
Task<> send_two(TL& tl, QueueArgs args) {
  const Tile tile = tl.zeros({args.n}, kByte);
  co_await tl.sync();
  auto first = tl.send({.dir = {"to"}, .src = tile});
  args.times->sent = tl.clock();
  co_await first;
  auto second = tl.send({.dir = {"to"}, .src = tile});
  static_cast<void>(tl.zeros({1 << 22}, kByte));
  co_await second;
}

// The first tile is held to the end; its slot isn't.
Task<> receive_and_hold(TL& tl, QueueArgs args) {
  auto first = tl.recv({.dir = {"from"}, .shape = {args.n}, .dtype = kByte});
  auto second = tl.recv({.dir = {"from"}, .shape = {args.n}, .dtype = kByte});
  const Tile held = co_await first;
  args.times->received = tl.clock();
  co_await second;
  args.times->second = tl.clock();
}

Task<> hold(Simulation* sim, Time d) { co_await sim->delay(d); }

Task<> launch(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  (void)co_await rig->launch(std::move(one), std::move(kernel));
}

Task<> exchange(Rig* rig, PeCoord from, PeCoord to, QueueArgs args, Rig::Rings rings) {
  co_await rig->connect(from, to, rings);
  (void)rig->sim.spawn("receiver", launch(rig, to, bind_kernel("receives", receive_and_hold, args)));
  co_await hold(&rig->sim, 100_us);
  co_await launch(rig, from, bind_kernel("sends", send_two, args));
}

Task<> install(Rig* rig, std::vector<hw::ControlTarget> targets) { co_await rig->order(std::move(targets)); }

// Time from handing over a tile until it is in the receiver's TCM.
Expected passage(const Rig& rig, PeCoord from, PeCoord to, Bytes n, Region memory) {
  const topology::Graph& graph = rig.graph;
  const NodeId slots = hw::locate(graph, rig.ring(to, memory)).memory;
  const topology::PeNodes& receiver = rig.pe(to);
  return crossing(way_between_memories(graph, rig.pe(from).tcm, slots), cut(graph, n)) +
         crossing(way(graph, slots, receiver.ipcq), control(graph)) +
         crossing(way(graph, receiver.dma, slots), control(graph)) +
         crossing(way_between_memories(graph, slots, receiver.tcm), cut(graph, n, kRequest));
}

}  // namespace

TEST_CASE("Rings outside TCM: a tile is written there, announced, and fetched; then its slot is free") {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Random random{seed};
    Rig rig{random_machine(random)};
    const PeCoord from = random_pe(random, *rig.spec);
    const PeCoord to = random_pe(random, *rig.spec);
    if (from == to) continue;
    const Region memory = random.any_of({Region::hbm, Region::sram});
    const Bytes n{random.between(1, 16384)};
    const Bytes credit{random.between(1, 100)};
    CAPTURE(seed);
    CAPTURE(n.count());
    CAPTURE(to_string(memory));
    Times times;
    rig.run(exchange(&rig, from, to, {n.count(), &times},
                     {.slots = 1, .slot_size = n, .credit = credit, .memory = memory}));
    const Expected passes = passage(rig, from, to, n, memory);
    const Expected returns =
        crossing(way(rig.graph, rig.pe(to).ipcq, rig.pe(from).ipcq), cut(rig.graph, credit));
    CHECK_MESSAGE(meets(times.received - times.sent, passes), to_string(times.received - times.sent),
                  " expected ", text(passes));
    CHECK_MESSAGE(meets(times.second - times.received, returns + passes),
                  to_string(times.second - times.received), " expected ", text(returns + passes));
  }
}

TEST_CASE("Install: rings of a PE that overlap, and rings in its TCM beside others, are refused by name") {
  const PeCoord at{0, 0, 0};
  const auto refusal = [&](Region first, Region second, Bytes apart) {
    Rig rig{small_machine()};
    const auto queue = [&](const char* name, Region memory, Bytes offset) {
      return hw::QueuePairPlan{.direction = name,
                               .peer = {0, 0, 1},
                               .my_base = rig.ring(at, memory) + offset,
                               .peer_base = rig.ring({0, 0, 1}, memory) + offset};
    };
    hw::QueueSet queues{.queues = {queue("E", first, apart), queue("W", second, 0_B)},
                        .settings = {.slots = 4, .slot_size = 256_B, .credit_size = 16_B}};
    std::vector<hw::ControlTarget> target{{.pe = at, .action = std::move(queues), .size = {}}};
    try {
      rig.run(install(&rig, std::move(target)));
      return std::string{};
    } catch (const Error& error) {
      return std::string{error.what()};
    }
  };
  const std::string overlap = "the rings of E and W of sip0.cube0.pe0 overlap";
  CHECK(refusal(Region::sram, Region::sram, 1023_B).find(overlap) != std::string::npos);
  CHECK(refusal(Region::ipcq, Region::ipcq, 0_B).find(overlap) != std::string::npos);
  CHECK(refusal(Region::hbm, Region::hbm, 1024_B).empty());
  CHECK(refusal(Region::hbm, Region::sram, 0_B).empty());
  CHECK(refusal(Region::ipcq, Region::sram, 0_B).find("rings in its TCM and rings elsewhere") !=
        std::string::npos);
}

}  // namespace kbsim::hw::test::ring_memory_test
