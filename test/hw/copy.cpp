// Copies in time: their costs, their TCM, and their races.
#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::copy_test {
namespace {

constexpr PeCoord kOne{0, 0, 0};
constexpr PeCoord kTwo{0, 0, 1};
constexpr Ptr kFrom{.va = kVa, .dtype = f16};
constexpr Ptr kTo{.va = kVa + (512 << 10), .dtype = f16};
constexpr Time kDispatch = 4_ns;

struct TookArgs {
  std::int64_t n = 1;
  Time* took = nullptr;
};
using Kernel = Task<> (*)(TL&, TookArgs);

Task<> copies(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  co_await tl.copy(kTo, kFrom, {args.n});
  *args.took = tl.clock() - start;
}

Task<> loads_and_stores(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  const Tile x = co_await tl.load(kFrom, {args.n}, f16);
  co_await tl.store(kTo, x);
  *args.took = tl.clock() - start;
}

Task<> copies_under_way(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  auto copied = tl.copy(kTo, kFrom, {args.n});
  *args.took = tl.clock() - start;
  co_await tl.sync();
  tl.check(copied.done(), "sync waits for it");
  co_await copied;
}

// Only one of the tiles has room at a time.
Task<> copies_twice(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  auto first = tl.copy(kTo, kFrom, {args.n});
  auto second = tl.copy(kTo, kFrom, {args.n});
  co_await tl.wait(first, second);
  *args.took = tl.clock() - start;
}

Task<> one_copies_one_stores(TL& tl, TookArgs args) {
  if (tl.program_id(0) == 0) {
    co_await tl.copy(kTo, kFrom, {args.n});
  } else {
    co_await tl.store(kTo, tl.zeros({args.n}, f16));
  }
}

Task<> both_copy_apart(TL& tl, TookArgs args) {
  co_await tl.copy(kTo + tl.program_id(0) * args.n, kFrom, {args.n});  // both read the same
}

Time took(Kernel kernel, std::int64_t n, config::MachineSpec spec = small_machine()) {
  Time took{};
  Rig rig{std::move(spec)};
  rig.run(map_and_launch(&rig, kOne, in_hbm(*rig.spec, kOne),
                         bind_kernel("kernel", kernel, TookArgs{.n = n, .took = &took})));
  rig.machine->fabric().audit();
  return took;
}

Task<> on_both(Rig* rig, KernelCall kernel) {
  for (const PeCoord pe : {kOne, kTwo}) co_await rig->map(pe, kVa, in_hbm(*rig->spec, kOne), 1_MiB);
  std::vector<PeCoord> both{kOne, kTwo};
  co_await rig->launch(std::move(both), std::move(kernel));
}

std::vector<std::string> races(Kernel kernel) {
  Rig rig{small_machine()};
  rig.machine->races().watch(oplog::RaceMode::warn);
  rig.run(on_both(&rig, bind_kernel("kernel", kernel, TookArgs{.n = 1024})));
  return rig.machine->races().reports();
}

}  // namespace

TEST_CASE("Copy: takes what a load and then a store take, with one dispatch") {
  for (const std::int64_t n : {1, 64, 1000, 50'000}) {
    CAPTURE(n);
    CHECK(took(copies, n) == took(loads_and_stores, n) - kDispatch);
  }
}

TEST_CASE("Copy: the kernel goes on after its dispatch, and sync waits for it") {
  CHECK(took(copies_under_way, 50'000) == kDispatch);
}

TEST_CASE("Copy: its tile is in the TCM until the memory has acknowledged") {
  constexpr std::int64_t kElements = 200 << 10;  // 400 KiB
  config::MachineSpec tight = small_machine();
  tight.cube.memory.tcm_scheduler = tight.cube.memory.tcm - 600_KiB;
  tight.pe.tcm.on_full = config::OnFull::stall;
  const Time once = took(copies, kElements);
  CHECK(took(copies_twice, kElements, tight) == once + once);
}

TEST_CASE("Race: a copy beside a store to its target does, and two of one source don't") {
  CHECK(races(both_copy_apart).empty());
  const auto found = races(one_copies_one_stores);
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("pe0, copy of operation") != std::string::npos);
}

}  // namespace kbsim::hw::test::copy_test
