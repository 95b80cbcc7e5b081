// Sends from memory and receives into it, in time.
#include <doctest/doctest.h>

#include "kbsim/hw/control/i_queue_state.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::queue_memory_test {
namespace {

constexpr PeCoord kSender{0, 0, 0};
constexpr PeCoord kReceiver{0, 1, 0};
constexpr Ptr kMemory{.va = kVa, .dtype = f16};
constexpr Time kDispatch = 4_ns;

struct TookArgs {
  std::int64_t n = 1;
  Time* took = nullptr;
};
using Kernel = Task<> (*)(TL&, TookArgs);

Task<> loads_and_sends(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  const Tile x = co_await tl.load(kMemory, {args.n}, f16);
  co_await tl.send({.dir = {"to"}, .src = x});
  *args.took = tl.clock() - start;
}

Task<> sends_memory(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  co_await tl.send({.dir = {"to"}, .src = kMemory, .shape = {args.n}});
  *args.took = tl.clock() - start;
}

Task<> receives_and_stores(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  const Tile x = co_await tl.recv({.dir = {"from"}, .shape = {args.n}});
  co_await tl.store(kMemory, x);
  *args.took = tl.clock() - start;
}

Task<> receives_into_memory(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  co_await tl.recv({.dir = {"from"}, .shape = {args.n}, .dst = kMemory});
  *args.took = tl.clock() - start;
}

Task<> one_launch(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  (void)co_await rig->launch(std::move(one), std::move(kernel));
}

// The receiver begins once the tile has arrived.
Task<> pass(Rig* rig, Kernel sends, Kernel receives, TookArgs sent, TookArgs received,
            topology::Region memory) {
  co_await rig->connect(kSender, kReceiver, {.memory = memory});
  for (const PeCoord pe : {kSender, kReceiver}) co_await rig->map(pe, kVa, in_hbm(*rig->spec, pe), 1_MiB);
  co_await one_launch(rig, kSender, bind_kernel("sends", sends, sent));
  co_await rig->sim.delay(10_us);
  co_await one_launch(rig, kReceiver, bind_kernel("receives", receives, received));
}

struct Took {
  Time send{};
  Time recv{};
};

Took took(Kernel sends, Kernel receives, std::int64_t n, topology::Region memory) {
  Took times;
  Rig rig{small_machine()};
  rig.run(pass(&rig, sends, receives, {.n = n, .took = &times.send}, {.n = n, .took = &times.recv}, memory));
  rig.machine->fabric().audit();
  return times;
}

}  // namespace

TEST_CASE("checklist 22: memory is sent, and received into, in the time of both commands less a dispatch") {
  for (const topology::Region memory : {topology::Region::ipcq, topology::Region::hbm}) {
    for (const std::int64_t n : {1, 64, 1000, 2048}) {
      CAPTURE(n);
      const Took apart = took(loads_and_sends, receives_and_stores, n, memory);
      const Took as_one = took(sends_memory, receives_into_memory, n, memory);
      CHECK(as_one.send == apart.send - kDispatch + 1_ps);
      CHECK(as_one.recv == apart.recv - kDispatch);
    }
  }
}

TEST_CASE("checklist 22: a slot that was received into memory is free without the kernel") {
  Rig rig{small_machine()};
  Time unused{};
  const TookArgs args{.n = 64, .took = &unused};
  rig.run(pass(&rig, sends_memory, receives_into_memory, args, args, topology::Region::ipcq));
  std::vector<QueueEnd> ends;
  rig.machine->at<IQueueState>(rig.pe(kReceiver).ipcq).add_ends(ends);
  REQUIRE(ends.size() == 1);
  CHECK(ends.front().taken == 1);
  CHECK(ends.front().my_tail == 1);
}

}  // namespace kbsim::hw::test::queue_memory_test
