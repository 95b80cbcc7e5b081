#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::any_recv_test {
namespace {

constexpr PeCoord kHub{0, 0, 0};
constexpr std::array<PeCoord, 3> kSpokes{PeCoord{0, 0, 1}, PeCoord{0, 1, 0}, PeCoord{0, 1, 1}};
constexpr std::array<const char*, 3> kNames{"first", "second", "third"};
constexpr DType kByte = DType::u8;
constexpr Shape kShape{64};

using Names = std::vector<std::string>;

struct HubArgs {
  Names* from;
  int waits = 0;  // tiles of a long operation that it awaits before it asks
  int tiles = 9;
};

struct SpokeArgs {
  int tiles = 3;
  int waits = 0;
};

// The engine takes 4 + 64 ns for each.
void keep_busy(TL& tl, int operations) {
  for (int i = 0; i < operations; ++i) static_cast<void>(tl.zeros({4096}, kByte));
}

Task<> takes_any(TL& tl, HubArgs args) {
  keep_busy(tl, args.waits);
  co_await tl.sync();
  for (int i = 0; i < args.tiles; ++i) {
    const Tile tile = co_await tl.recv({.shape = kShape, .dtype = kByte});
    args.from->push_back(std::string{tile.from().name()});
    CHECK(tl.reshape(tile, {8, 8}).from() == tile.from());
    CHECK((tile + tile).from() == Dir::any);
  }
}

Task<> takes_second_then_any(TL& tl, HubArgs args) {
  auto directed = tl.recv({.dir = {"second"}, .shape = kShape, .dtype = kByte});
  auto any = tl.recv({.shape = kShape, .dtype = kByte});
  auto third = tl.recv({.dir = {"third"}, .shape = kShape, .dtype = kByte});
  auto last = tl.recv({.shape = kShape, .dtype = kByte});
  for (auto* coming : {&directed, &any, &third, &last}) {
    const Tile tile = co_await *coming;
    args.from->push_back(std::string{tile.from().name()});
  }
}

Task<> sends(TL& tl, SpokeArgs args) {
  const Tile tile = tl.zeros(kShape, kByte);
  keep_busy(tl, args.waits);
  co_await tl.sync();
  for (int i = 0; i < args.tiles; ++i) co_await tl.send({.dir = {"hub"}, .src = tile});
}

QueuePairPlan pair(const char* direction, PeCoord peer, topology::PhysAddr mine, topology::PhysAddr theirs) {
  return {.direction = direction, .peer = peer, .my_base = mine, .peer_base = theirs};
}

Task<> wire(Rig* rig, topology::Region memory, std::optional<Time> poll) {
  const QueueSettings of_spoke{.slots = 4, .slot_size = 64_B, .credit_size = 16_B};
  QueueSet hub{.settings = of_spoke};
  hub.settings.poll = poll;
  for (std::size_t i = 0; i < kSpokes.size(); ++i) {
    const topology::PhysAddr at_hub = rig->ring(kHub, memory) + static_cast<std::int64_t>(i) * 4_KiB;
    const topology::PhysAddr at_spoke = rig->ring(kSpokes[i], memory);
    hub.queues.push_back(pair(kNames[i], kSpokes[i], at_hub, at_spoke));
    QueueSet spoke{.queues = {pair("hub", kHub, at_spoke, at_hub)}, .settings = of_spoke};
    std::vector<ControlTarget> target{{.pe = kSpokes[i], .action = std::move(spoke), .size = {}}};
    co_await rig->order(std::move(target));
  }
  std::vector<ControlTarget> target{{.pe = kHub, .action = std::move(hub), .size = {}}};
  co_await rig->order(std::move(target));
}

Task<> launch(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  (void)co_await rig->launch(std::move(one), std::move(kernel));
}

struct Setup {
  KernelCall hub;
  std::array<SpokeArgs, 3> spokes;
  topology::Region memory = topology::Region::ipcq;
  std::optional<Time> poll;
};

Task<> all(Rig* rig, Setup setup) {
  co_await wire(rig, setup.memory, setup.poll);
  for (std::size_t i = 0; i < kSpokes.size(); ++i) {
    (void)rig->sim.spawn(kNames[i], launch(rig, kSpokes[i], bind_kernel("sends", sends, setup.spokes[i])));
  }
  co_await launch(rig, kHub, setup.hub);
}

void run(const Setup& setup, std::optional<std::uint64_t> shuffle = {}) {
  Rig rig{small_machine(), {.shuffle_ties = shuffle}};
  rig.run(all(&rig, setup));
}

Names in_turns(int rounds) {
  Names names;
  for (int i = 0; i < rounds; ++i) names.insert(names.end(), kNames.begin(), kNames.end());
  return names;
}

}  // namespace

TEST_CASE("recv of any: of tiles that are there the queues take turns, in the order of their installation") {
  for (const topology::Region memory :
       {topology::Region::ipcq, topology::Region::hbm, topology::Region::sram}) {
    for (const std::optional<Time> poll : {std::optional<Time>{}, std::optional{10_ns}}) {
      Names from;
      run({.hub = bind_kernel("any", takes_any, HubArgs{.from = &from, .waits = 300}),
           .spokes = {},
           .memory = memory,
           .poll = poll});
      CHECK(from == in_turns(3));
    }
  }
}

TEST_CASE("recv of any: the first to arrive comes first") {
  Names from;
  run({.hub = bind_kernel("any", takes_any, HubArgs{.from = &from, .tiles = 3}),
       .spokes = {
           SpokeArgs{.tiles = 1, .waits = 200}, {.tiles = 1, .waits = 100}, {.tiles = 1, .waits = 300}}});
  CHECK(from == Names{"second", "first", "third"});
}

TEST_CASE("recv of any: a tile goes to the oldest recv that may have it") {
  Names from;
  run({.hub = bind_kernel("mixed", takes_second_then_any, HubArgs{.from = &from}),
       .spokes = {
           SpokeArgs{.tiles = 1, .waits = 300}, {.tiles = 1, .waits = 100}, {.tiles = 2, .waits = 200}}});
  CHECK(from == Names{"second", "third", "third", "first"});
}

TEST_CASE("recv of any: which comes first doesn't hang on the order of simultaneous events") {
  Names expected;
  run({.hub = bind_kernel("any", takes_any, HubArgs{.from = &expected}), .spokes = {}});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Names from;
    run({.hub = bind_kernel("any", takes_any, HubArgs{.from = &from}), .spokes = {}}, seed);
    CHECK(from == expected);
  }
}

}  // namespace kbsim::hw::test::any_recv_test
