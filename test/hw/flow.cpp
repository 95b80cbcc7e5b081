#include <doctest/doctest.h>

#include "kbsim/hw/locate.hpp"

#include "flow_reference.hpp"
#include "harness.hpp"
#include "idle.hpp"
#include "random_machine.hpp"
#include "sanitized.hpp"

namespace kbsim::hw::test::flow_test {

using topology::Region;

namespace {

constexpr PeCoord kSender{0, 0, 0};
constexpr PeCoord kReceiver{0, 1, 0};
constexpr DType kByte = DType::u8;

struct FlowArgs {
  std::int64_t n;
  int tiles;
  std::vector<Time>* received;
  std::vector<Time>* sent = nullptr;  // when each was handed to pe_ipcq
};

Task<> send_all(TL& tl, FlowArgs args) {
  const Tile tile = tl.zeros({args.n}, kByte);
  co_await tl.sync();
  for (int i = 0; i < args.tiles; ++i) {
    tl.send({.dir = {"to"}, .src = tile}).detach();
    if (args.sent != nullptr) args.sent->push_back(tl.clock());
  }
}

Task<> receive_all(TL& tl, FlowArgs args) {
  std::vector<Pending<Tile>> coming;
  for (int i = 0; i < args.tiles; ++i)
    coming.push_back(tl.recv({.dir = {"from"}, .shape = {args.n}, .dtype = kByte}));
  for (Pending<Tile>& one : coming) {
    co_await one;
    args.received->push_back(tl.clock());
    one = {};  // lets go of the tile
  }
}

Task<> launch(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  (void)co_await rig->launch(std::move(one), std::move(kernel));
}

Task<> flow(Rig* rig, Rig::Rings rings, FlowArgs args) {
  co_await rig->connect(kSender, kReceiver, rings);
  (void)rig->sim.spawn("receiver", launch(rig, kReceiver, bind_kernel("receives", receive_all, args)));
  co_await launch(rig, kSender, bind_kernel("sends", send_all, args));
}

// The receiver has asked for all tiles before the first is sent.
Task<> late_flow(Rig* rig, PeCoord from, PeCoord to, Rig::Rings rings, FlowArgs args) {
  co_await rig->connect(from, to, rings);
  (void)rig->sim.spawn("receiver", launch(rig, to, bind_kernel("receives", receive_all, args)));
  co_await rig->sim.delay(100_us);
  co_await launch(rig, from, bind_kernel("sends", send_all, args));
}

// How long `slots` tiles take in the steady state, the mean of twelve rounds: from a tile's receipt to that
// of the one that has its slot next. Near the end no tile is written any more, so the last rounds differ and
// aren't counted.
Time round_trip(Region memory, int slots, Bytes size) {
  Rig rig{small_machine()};
  std::vector<Time> received;
  const auto n = static_cast<std::size_t>(slots);
  rig.run(flow(&rig, {.slots = slots, .slot_size = size, .memory = memory},
               {.n = size.count(), .tiles = 18 * slots + 300, .received = &received}));
  const std::size_t last = received.size() - 3 * n;
  return (received[last] - received[last - 12 * n]) / 12;
}

// A tile's time at the slowest server that all must pass, one after the other.
Time service(Region memory, Bytes size) {
  const Rig rig{small_machine()};
  const NodeId slots = hw::locate(rig.graph, rig.ring(kReceiver, memory)).memory;
  const Bandwidth link = way_between_memories(rig.graph, rig.pe(kSender).tcm, slots).slowest();
  const Time passing = link.serialization(size);
  if (memory == Region::ipcq) return passing;
  const Time port =
      way_from_memory(rig.graph, slots, rig.pe(kReceiver).tcm).servers.back().serialization(size);
  return std::max(passing, 2 * port);  // written and read
}

}  // namespace

constexpr Bytes kSizes[]{2_KiB, 4_KiB, 16_KiB};
constexpr int kSlots[]{2, 3, 4, 5, 8, 16, 24};

TEST_CASE("Flow: a queue in TCM carries n_slots * slot_size a loop, or what its slowest server carries") {
  for (const Bytes size : kSizes) {
    const Time loop = round_trip(Region::ipcq, 1, size);
    for (const int slots : kSlots) {
      CAPTURE(size.count());
      CAPTURE(slots);
      CHECK(round_trip(Region::ipcq, slots, size) == std::max(loop, slots * service(Region::ipcq, size)));
    }
  }
}

// If its port is idle half of the time, tiles settle where they don't meet. If it never idles, it sets the
// pace. In between, one tile's read may meet another's write.
TEST_CASE("Flow: in a memory with one port, tiles that are written meet those that are read, at worst") {
  for (const Region memory : {Region::hbm, Region::sram}) {
    for (const Bytes size : kSizes) {
      const Time loop = round_trip(memory, 1, size);
      for (const int slots : kSlots) {
        CAPTURE(to_string(memory));
        CAPTURE(size.count());
        CAPTURE(slots);
        const Time busy = slots * service(memory, size);
        const Time bound = std::max(loop, busy);
        const Time round = round_trip(memory, slots, size);
        CHECK(round >= bound - bound / 100);
        CHECK(round <= bound * 6 / 5);
        const Time off = round > bound ? round - bound : bound - round;
        if (2 * busy <= loop || busy >= 2 * loop) CHECK(off <= bound / 1000);
      }
    }
  }
}

// The last tiles aren't compared: their sender's kernel has ended and reports it, on the same links.
TEST_CASE("Flow: writes and reads that meet at one port, tile by tile as the recurrence of arrivals says") {
  constexpr int kMachines = kbsim::test::kSanitized ? 8 : 200;
  constexpr int kTiles = 120;
  int machines = 0;
  int meet = 0;  // and lose time by it
  for (std::uint64_t seed = 1; machines < kMachines; ++seed) {
    Random random{seed};
    Rig rig{random_machine(random)};
    const PeCoord from = random_pe(random, *rig.spec);
    const PeCoord to = random_pe(random, *rig.spec);
    if (from == to) continue;
    ++machines;
    const Region memory = random.any_of({Region::hbm, Region::sram});
    const Bytes size{random.between(1, 8) * 1024 + random.any_of({0, 0, 17})};
    const Rig::Rings rings{.slots = random.between(1, 16), .slot_size = size, .memory = memory};
    CAPTURE(seed);
    CAPTURE(rings.slots);
    CAPTURE(size.count());
    CAPTURE(to_string(memory));
    CAPTURE(rig.spec->system.packet_bytes.count());
    std::vector<Time> received;
    std::vector<Time> sent;
    rig.run(late_flow(&rig, from, to, rings,
                      {.n = size.count(), .tiles = kTiles, .received = &received, .sent = &sent}));
    QueueFlow flow{.from = from,
                   .to = to,
                   .memory = hw::locate(rig.graph, rig.ring(to, memory)).memory,
                   .slots = rings.slots,
                   .tile = size,
                   .credit = rings.credit,
                   .issued = sent};
    std::vector<Time> expected = reference_flow(rig.graph, flow);
    flow.apart = true;
    const std::vector<Time> apart = reference_flow(rig.graph, flow);
    const auto compared = static_cast<std::size_t>(kTiles - rings.slots);
    received.resize(compared);
    expected.resize(compared);
    CHECK(received == expected);
    meet += received.back() > apart[compared - 1] ? 1 : 0;
  }
  CHECK(meet > kMachines / 2);
}

}  // namespace kbsim::hw::test::flow_test
