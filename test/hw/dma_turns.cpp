// The classes of traffic of a PE's DMA take turns at its port.
#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::dma_turns_test {
namespace {

constexpr PeCoord kFrom{0, 0, 0};
constexpr PeCoord kTo{0, 0, 1};
constexpr std::int64_t kPackets = 8;  // of the tile that is sent
constexpr std::int64_t kElements = kPackets * 128;

struct Args {
  Simulation* sim;
  Time* sent;
};

// The store is larger, and under way when the send arrives.
Task<> stores_and_sends(TL& tl, Args args) {
  const Ptr memory{.va = kVa, .dtype = f16};
  const Tile stored_tile = co_await tl.load(memory, {16 * kElements}, f16);
  const Tile sent_tile = co_await tl.load(memory, {kElements}, f16);
  auto stored = tl.store(memory, stored_tile);
  co_await tl.send({.dir = {"to"}, .src = sent_tile});
  *args.sent = args.sim->now();
  co_await stored;
}

Task<> receives(TL& tl, Args) { co_await tl.recv({.dir = {"from"}, .shape = {kElements}}); }

Task<> both(Rig* rig, Bytes vc_chunk, Time* sent) {
  const Args args{.sim = &rig->sim, .sent = sent};
  co_await rig->connect(kFrom, kTo, {.slots = 1, .vc_chunk = vc_chunk});
  co_await map_and_launch(rig, kFrom, in_hbm(*rig->spec, kFrom),
                          bind_kernel("sends", stores_and_sends, args));
  co_await map_and_launch(rig, kTo, in_hbm(*rig->spec, kTo), bind_kernel("receives", receives, args));
}

// Time at which the send's last byte has left; turns have `queue` bytes, or `others` for other traffic.
Time sent_at(Bytes queue, Bytes others) {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_dma.attrs["vc_chunk_size"] = others.count();
  Rig rig{spec};
  Time sent{};
  rig.run(both(&rig, queue, &sent));
  return sent;
}

}  // namespace

TEST_CASE("DMA: between two turns of a send the other channel has one") {
  const config::MachineSpec spec = small_machine();
  const Bytes packet = spec.system.packet_bytes;
  const Time of_packet = spec.pe.link.serialization(packet);
  for (const std::int64_t others : {1, 4}) {
    const Time in_one_turn = sent_at(packet * kPackets, packet * others);
    for (const std::int64_t queue : {1, 2, 3, 4, 7, 8, 100}) {
      CAPTURE(others);
      CAPTURE(queue);
      const std::int64_t turns = (kPackets + queue - 1) / queue;
      CHECK(sent_at(packet * queue, packet * others) == in_one_turn + (turns - 1) * others * of_packet);
    }
  }
}

TEST_CASE("DMA: queues that say nothing of turns have those of everything else") {
  CHECK(sent_at(0_B, 512_B) == sent_at(512_B, 512_B));
  CHECK(sent_at(0_B, 512_B) < sent_at(256_B, 512_B));
}

}  // namespace kbsim::hw::test::dma_turns_test
