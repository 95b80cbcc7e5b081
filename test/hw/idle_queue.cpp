#include <doctest/doctest.h>

#include "harness.hpp"
#include "idle.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::idle_queue_test {
namespace {

constexpr DType kByte = DType::u8;
constexpr Time kDispatch = 4_ns;

struct Times {
  Time sent{};      // a tile was handed to pe_ipcq
  Time received{};  // and came out of its slot
  Time let_go{};    // its slot was freed
  Time second{};    // the second tile came out
};

struct QueueArgs {
  PeCoord sender;
  std::int64_t n;
  Times* times;
};

Task<> hold(Simulation* sim, Time d) { co_await sim->delay(d); }

// Two tiles through one slot; the second waits for the first one's credit.
Task<> send_two(TL& tl, QueueArgs args) {
  const Tile tile = tl.zeros({args.n}, kByte);
  auto first = tl.send({.dir = {"to"}, .src = tile});
  args.times->sent = tl.clock();
  co_await first;
  co_await tl.send({.dir = {"to"}, .src = tile});
}

Task<> receive_two(TL& tl, QueueArgs args) {
  auto first = tl.recv({.dir = {"from"}, .shape = {args.n}, .dtype = kByte});
  auto second = tl.recv({.dir = {"from"}, .shape = {args.n}, .dtype = kByte});
  Tile tile = co_await first;
  args.times->received = tl.clock();
  const Tile twice = tile + tile;  // holds the slot for as long as it is computed
  const Tile thrice = twice + tile;
  args.times->let_go = tl.clock();
  tile = {};
  first = {};  // it would still hold the tile
  co_await second;
  args.times->second = tl.clock();
}

Task<> either(TL& tl, QueueArgs args) {
  const bool sends = tl.place() == args.sender;
  if (sends) {
    co_await send_two(tl, args);
  } else {
    co_await receive_two(tl, args);
  }
}

Task<> launch(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  (void)co_await rig->launch(std::move(one), std::move(kernel));
}

Task<> exchange(Rig* rig, PeCoord from, PeCoord to, QueueArgs args, Bytes credit, bool direct) {
  co_await rig->connect(from, to,
                        {.slots = 1, .slot_size = Bytes{args.n}, .credit = credit, .direct_credit = direct});
  KernelCall kernel = bind_kernel("either", either, args);
  (void)rig->sim.spawn("receiver", launch(rig, to, kernel));
  co_await hold(&rig->sim, 100_us);
  co_await launch(rig, from, kernel);
}

// With credits that go through the fabric, or beside it.
void check_idle(std::uint64_t seed, bool direct) {
  Random random{seed};
  Rig rig{random_machine(random)};
  const PeCoord from = random_pe(random, *rig.spec);
  const PeCoord to = random_pe(random, *rig.spec);
  if (from == to) return;
  const Bytes n{random.between(1, 16384)};
  const Bytes credit{random.between(1, 100)};
  CAPTURE(seed);
  CAPTURE(n.count());
  Times times;
  rig.run(exchange(&rig, from, to, {from, n.count(), &times}, credit, direct));
  const Expected payload =
      crossing(way_between_memories(rig.graph, rig.pe(from).tcm, rig.pe(to).tcm), cut(rig.graph, n));
  const Way back = way(rig.graph, rig.pe(to).ipcq, rig.pe(from).ipcq);
  const Expected credits = direct ? Expected{.time = back.slowest().serialization(credit)}
                                  : crossing(back, cut(rig.graph, credit));
  const Time math = from_ns(4.0 + static_cast<double>(ceil_div(n.count(), 64)));  // of one addition
  // `sent` is the issue clock, the tile is ready `math` after its own issue.
  const Time start = times.sent - kDispatch + math;
  CHECK(times.let_go == times.received + 2 * kDispatch);
  const Time freed = times.received + kDispatch + 2 * math;
  CAPTURE(to_string(start));
  CHECK_MESSAGE(meets(times.received - start, payload), to_string(times.received - start), " expected ",
                text(payload));
  CHECK_MESSAGE(meets(times.second - freed, credits + payload), to_string(times.second - freed), " expected ",
                text(credits + payload));
}

}  // namespace

TEST_CASE("Idle queue: a tile takes the way between TCMs; the slot's next waits for the credit's way back") {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) check_idle(seed, false);
}

TEST_CASE("checklist 17: a direct credit takes what the slowest link on its way would, and nothing else") {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) check_idle(seed, true);
}

}  // namespace kbsim::hw::test::idle_queue_test
