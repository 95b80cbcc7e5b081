#include <doctest/doctest.h>

#include "harness.hpp"
#include "idle.hpp"

namespace kbsim::hw::test::slots_test {
namespace {

constexpr PeCoord kSender{0, 0, 0};
constexpr PeCoord kReceiver{0, 1, 0};
constexpr DType kByte = DType::u8;
constexpr Shape kShape{256};

struct SeenArgs {
  std::vector<Time>* seen;
};
using Kernel = Task<> (*)(TL&, SeenArgs);

Task<> send_four(TL& tl, SeenArgs) {
  const Tile tile = tl.zeros(kShape, kByte);
  for (int i = 0; i < 4; ++i) tl.send({.dir = {"to"}, .src = tile, .tag = i}).detach();
  co_return;
}

Task<> free_the_second_first(TL& tl, SeenArgs args) {
  auto a_coming = tl.recv({.dir = {"from"}, .shape = kShape, .dtype = kByte, .tag = 0});
  auto b_coming = tl.recv({.dir = {"from"}, .shape = kShape, .dtype = kByte, .tag = 1});
  auto c_coming = tl.recv({.dir = {"from"}, .shape = kShape, .dtype = kByte, .tag = 2});
  auto d_coming = tl.recv({.dir = {"from"}, .shape = kShape, .dtype = kByte, .tag = 3});
  Tile a = co_await a_coming;
  Tile b = co_await b_coming;
  a_coming = {};
  b_coming = {};
  b = {};
  for (int i = 0; i < 200; ++i) static_cast<void>(a + a);  // a's slot stays taken until they are done
  args.seen->push_back(tl.clock());
  a = {};
  co_await c_coming;
  args.seen->push_back(tl.clock());
  co_await d_coming;
  args.seen->push_back(tl.clock());
}

// The first tile is ready long after the second.
Task<> send_late_tile_first(TL& tl, SeenArgs) {
  Tile late = tl.zeros({4096}, kByte);
  for (int i = 0; i < 10; ++i) late += late;
  auto loading = tl.load({.va = kVa, .dtype = kByte}, {4096}, kByte);
  const Tile ready = co_await loading;
  for (int i = 0; i < 10; ++i) late += late;
  auto first = tl.send({.dir = {"to"}, .src = late, .tag = 1});
  auto second = tl.send({.dir = {"to"}, .src = ready, .tag = 2});
  auto third = tl.send({.dir = {"to"}, .src = late, .tag = 3});
  co_await first;
  co_await second;
  co_await third;
}

Task<> receive_in_order(TL& tl, SeenArgs args) {
  for (int tag = 1; tag <= 3; ++tag) {
    co_await tl.recv({.dir = {"from"}, .shape = {4096}, .dtype = kByte, .tag = tag});
    args.seen->push_back(tl.clock());
  }
}

Task<> launch(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  (void)co_await rig->launch(std::move(one), std::move(kernel));
}

Task<> both(Rig* rig, Kernel sends, Kernel receives, std::vector<Time>* seen, int slots, Bytes slot) {
  co_await rig->connect(kSender, kReceiver, slots, slot);
  co_await rig->map(kSender, kVa, in_hbm(*rig->spec, kSender), 64_KiB);
  (void)rig->sim.spawn("receiver", launch(rig, kReceiver, bind_kernel("receives", receives, SeenArgs{seen})));
  co_await launch(rig, kSender, bind_kernel("sends", sends, SeenArgs{seen}));
}

Task<> send_one(TL& tl, SeenArgs) {
  co_await tl.send({.dir = {"to"}, .src = tl.zeros(kShape, kByte), .tag = 1});
}

Task<> receive_unseen(TL& tl, SeenArgs) {
  tl.recv({.dir = {"from"}, .shape = kShape, .dtype = kByte, .tag = 1}).detach();
  co_return;
}

Task<> one_by_one(Rig* rig, int launches) {
  co_await rig->connect(kSender, kReceiver, 1, kShape.bytes(kByte));
  for (int i = 0; i < launches; ++i) {
    co_await launch(rig, kSender, bind_kernel("sends", send_one, SeenArgs{}));
    co_await launch(rig, kReceiver, bind_kernel("receives", receive_unseen, SeenArgs{}));
  }
}

}  // namespace

TEST_CASE("Slots: what a kernel received and detached is free when it has ended") {
  Rig rig{small_machine()};
  CHECK_NOTHROW(rig.run(one_by_one(&rig, 3)));
}

TEST_CASE("Slots: freed out of order, they are credited in order") {
  Rig rig{small_machine()};
  std::vector<Time> seen;
  rig.run(both(&rig, send_four, free_the_second_first, &seen, 2, 256_B));
  REQUIRE(seen.size() == 3);
  constexpr Time kMath = 8_ns;  // of 256 elements
  // Commands are dispatched every 4 ns and served every 8 ns: the engine sets the pace.
  const Time freed = seen[0] - 200 * 4_ns + 4_ns + 200 * kMath;
  const topology::Graph& graph = rig.graph;
  const Expected credit =
      crossing(way(graph, rig.pe(kReceiver).ipcq, rig.pe(kSender).ipcq), cut(graph, 16_B));
  const Expected tile = crossing(way_between_memories(graph, rig.pe(kSender).tcm, rig.pe(kReceiver).tcm),
                                 cut(graph, kShape.bytes(kByte)));
  CHECK(meets(seen[1] - freed, credit + tile));
  CHECK(seen[2] - seen[1] == 1_ns);  // both credits left together; then 256 B at 256 GB/s
}

TEST_CASE("Slots: sends of a direction leave in program order, though their tiles are ready in another") {
  for (const int slots : {1, 4}) {
    Rig rig{small_machine()};
    std::vector<Time> seen;
    CHECK_NOTHROW(rig.run(both(&rig, send_late_tile_first, receive_in_order, &seen, slots, 4_KiB)));
    CHECK(seen.size() == 3);
  }
}

}  // namespace kbsim::hw::test::slots_test
