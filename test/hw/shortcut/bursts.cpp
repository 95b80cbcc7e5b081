// Packets that a DMA sends in consecutive slots, reserved ahead, behave as with an event for each packet.
#include <vector>

#include <doctest/doctest.h>

#include "../dma_programs.hpp"

namespace kbsim::hw::test::bursts_test {
namespace {

constexpr DType kByte = DType::u8;

struct Args {
  std::int64_t bytes;
};

Task<> store(TL& tl, Args args) {
  co_await tl.store({.va = kVa, .dtype = kByte}, tl.zeros({args.bytes}, kByte));
}

Task<> run_store(Rig* rig, std::int64_t bytes) {
  const std::vector<PeCoord> pes{{0, 0, 0}};
  (void)co_await rig->order(maps_of(pes, 64_KiB, [&](PeCoord at) { return in_hbm(*rig->spec, at, 0); }));
  (void)co_await rig->launch(pes, bind_kernel("store", store, Args{bytes}));
}

// To another PE and to its own memory at one time: two classes of traffic.
Task<> send_and_store(TL& tl, Args args) {
  const Tile tile = tl.zeros({args.bytes}, kByte);
  auto sending = tl.send({.dir = {"next"}, .src = tile, .tag = 1});
  auto storing = tl.store({.va = kVa, .dtype = kByte}, tile);
  (void)co_await tl.recv({.dir = {"previous"}, .shape = {args.bytes}, .dtype = kByte, .tag = 1});
  co_await sending;
  co_await storing;
}

Task<> run_both(Rig* rig, std::int64_t bytes) {
  const std::vector<PeCoord> pes{{0, 0, 0}, {0, 1, 0}};
  (void)co_await rig->order(maps_of(pes, 64_KiB, [&](PeCoord at) { return in_hbm(*rig->spec, at, 0); }));
  (void)co_await rig->order(ring_of(pes, {.slots = 1, .slot_size = 16_KiB, .credit_size = 16_B}));
  (void)co_await rig->launch(pes, bind_kernel("send_and_store", send_and_store, Args{bytes}));
}

Outcome both(const config::MachineSpec& spec, bool exact, std::int64_t packets) {
  const std::int64_t bytes = packets * spec.system.packet_bytes.count();
  return outcome(spec, exact, {}, [&](Rig& rig) {
    rig.run(run_both(&rig, bytes));
    return std::vector<Time>{};
  });
}

// Each PE sends on the tiles that it receives, and stores them: credits cross the links of both.
struct Rounds {
  std::int64_t bytes;
  std::int64_t count;
};

Task<> pass_on_and_store(TL& tl, Rounds rounds) {
  std::vector<Pending<void>> pending;
  const auto send = [&](const Tile& tile) {
    pending.push_back(tl.send({.dir = {"next"}, .src = tile, .tag = 1}));
  };
  constexpr int kUnderWay = 3;
  for (int i = 0; i < kUnderWay; ++i) send(tl.zeros({rounds.bytes}, kByte));
  for (std::int64_t i = 0; i < rounds.count; ++i) {
    const Tile tile =
        co_await tl.recv({.dir = {"previous"}, .shape = {rounds.bytes}, .dtype = kByte, .tag = 1});
    pending.push_back(tl.store({.va = kVa, .dtype = kByte}, tile));
    if (i + kUnderWay < rounds.count) send(tile);
  }
  for (Pending<void>& one : pending) co_await one;
}

Task<> run_rounds(Rig* rig, Rounds rounds, Bytes credit) {
  const std::vector<PeCoord> pes{{0, 0, 0}, {0, 1, 0}, {0, 1, 1}};
  (void)co_await rig->order(maps_of(pes, 64_KiB, [&](PeCoord at) { return in_hbm(*rig->spec, at, 0); }));
  (void)co_await rig->order(ring_of(pes, {.slots = 4, .slot_size = 4_KiB, .credit_size = credit}));
  (void)co_await rig->launch(pes, bind_kernel("pass_on_and_store", pass_on_and_store, rounds));
}

Outcome passed_on(const config::MachineSpec& spec, bool exact, std::int64_t packets, Bytes credit) {
  const Rounds rounds{.bytes = packets * spec.system.packet_bytes.count(), .count = 12};
  return outcome(spec, exact, {}, [&](Rig& rig) {
    rig.run(run_rounds(&rig, rounds, credit));
    return std::vector<Time>{};
  });
}

std::uint64_t events_of_store(const config::MachineSpec& spec, bool exact, std::int64_t packets,
                              std::int64_t more = 0) {
  const std::int64_t bytes = packets * spec.system.packet_bytes.count() + more;
  return outcome(spec, exact, {},
                 [&](Rig& rig) {
                   rig.run(run_store(&rig, bytes));
                   return std::vector<Time>{};
                 })
      .events;
}

config::MachineSpec machine_of(std::uint64_t seed, Random& random) {
  config::MachineSpec spec = varied_machine(random);
  spec.system.packet_bytes = Bytes{random.any_of({64, 256})};
  spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{random.any_of({1, 4, 16})};
  spec.pe.pe_dma.attrs["request_bytes"] = std::int64_t{random.any_of({500, 4096, 16'384})};
  spec.pe.pe_dma.attrs["vc_chunk_size"] = std::int64_t{random.any_of({64, 256, 1000})};
  if (random.below(3) == 0) spec.pe.pe_tcm.attrs["read_bw_gbs"] = 100.0;
  return seed % 5 == 0 ? simultaneous(std::move(spec)) : spec;
}

}  // namespace

TEST_CASE("Bursts: packets of a write that meet no others have no events of their own") {
  config::MachineSpec spec = small_machine();
  spec.system.packet_bytes = 256_B;
  spec.pe.pe_dma.attrs["request_bytes"] = std::int64_t{65'536};
  const std::uint64_t few = events_of_store(spec, false, 8);
  CHECK(events_of_store(spec, false, 200) == few);
  CHECK(events_of_store(spec, false, 200, 17) == few);  // its last packet is shorter
  CHECK(events_of_store(spec, true, 200) - events_of_store(spec, true, 8) >= 5 * 192);
}

TEST_CASE("Bursts: two classes that alternate packet by packet have no events of their packets' own") {
  config::MachineSpec spec = small_machine();
  spec.system.packet_bytes = 64_B;
  spec.pe.pe_dma.attrs["request_bytes"] = std::int64_t{65'536};
  spec.pe.pe_dma.attrs["vc_chunk_size"] = std::int64_t{64};
  CHECK(both(spec, false, 250).events == both(spec, false, 16).events);
  CHECK(both(spec, true, 250).events - both(spec, true, 16).events > 10'000);
  for (const std::int64_t packets : {1, 2, 3, 16, 250})
    CHECK(both(spec, false, packets).same(both(spec, true, packets)));
}

TEST_CASE("Bursts: credits cross between the packets of two classes that alternate") {
  for (std::uint64_t seed = first_seed(); seed <= seeds(60); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    config::MachineSpec spec = small_machine();
    spec.system.packet_bytes = Bytes{random.any_of({64, 64, 100})};
    spec.pe.pe_dma.attrs["request_bytes"] = std::int64_t{65'536};
    spec.pe.pe_dma.attrs["vc_chunk_size"] = std::int64_t{64};
    spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{random.any_of({1, 4, 16})};
    const Bytes credit{random.any_of({1, 16, 60, 64, 100, 500})};
    const int packets = random.between(1, 40);
    CHECK(passed_on(spec, false, packets, credit).same(passed_on(spec, true, packets, credit)));
  }
}

TEST_CASE("Bursts: PEs that send, load and store much see the times of an event for each packet and hop") {
  std::uint64_t saved = 0;
  for (std::uint64_t seed = first_seed(); seed <= seeds(40); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = machine_of(seed, random);
    const int program = random.between(1, 1000);
    check_random(spec, seed, saved, [&](Rig& rig) {
      start_mixed_program(rig, program, 4500);
      rig.sim.run();
      return std::vector<Time>{};
    });
  }
  CHECK(saved > 1000 * (seeds(40) + 1 - first_seed()));
}

}  // namespace kbsim::hw::test::bursts_test
