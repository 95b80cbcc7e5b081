#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/deadlock.hpp"

#include "harness.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::polling_test {
namespace {

constexpr PeCoord kSender{0, 0, 0};
constexpr PeCoord kReceiver{0, 1, 0};
constexpr DType kByte = DType::u8;
constexpr Shape kShape{512};
constexpr Time kDispatch = 4_ns;

struct Seen {
  Time first_sent{};
  Time second_asked{};  // a send that finds no slot
  Time asked{};         // a recv that finds nothing
  std::vector<Time> received;
  std::vector<Time> loaded;
};

struct SeenArgs {
  Seen* seen;
};
using Kernel = Task<> (*)(TL&, SeenArgs);

Task<> send_two(TL& tl, SeenArgs args) {
  const Tile tile = tl.zeros(kShape, kByte);
  co_await tl.sync();
  auto first = tl.send({.dir = {"to"}, .src = tile});
  args.seen->first_sent = tl.clock();
  auto second = tl.send({.dir = {"to"}, .src = tile});
  args.seen->second_asked = tl.clock();
  co_await first;
  co_await second;
}

Task<> receive_two(TL& tl, SeenArgs args) {
  for (int i = 0; i < 2; ++i) {
    auto coming = tl.recv({.dir = {"from"}, .shape = kShape, .dtype = kByte});
    if (i == 0) args.seen->asked = tl.clock();
    co_await coming;
    args.seen->received.push_back(tl.clock());
  }
}

// The tile arrives long after the loads are done.
Task<> load_while_waiting(TL& tl, SeenArgs args) {
  auto coming = tl.recv({.dir = {"from"}, .shape = kShape, .dtype = kByte});
  args.seen->asked = tl.clock();
  for (int i = 0; i < 20; ++i) {
    co_await tl.load({.va = kVa, .dtype = kByte}, {100 * (i + 1)}, kByte);
    args.seen->loaded.push_back(tl.clock());
  }
  co_await coming;
}

Task<> receive_one(TL& tl, SeenArgs) { co_await tl.recv({.dir = {"from"}, .shape = kShape, .dtype = kByte}); }

Task<> idle(TL&, SeenArgs) { co_return; }

Task<> launch(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  (void)co_await rig->launch(std::move(one), std::move(kernel));
}

struct Setup {
  Kernel sends = idle;
  Kernel receives = idle;
  Time start{};  // of the sender
  Rig::Rings rings;
};

Task<> both(Rig* rig, Setup setup, Seen* seen) {
  co_await rig->connect(kSender, kReceiver, setup.rings);
  co_await rig->map(kReceiver, kVa, in_hbm(*rig->spec, kReceiver), 64_KiB);
  (void)rig->sim.spawn("receiver",
                       launch(rig, kReceiver, bind_kernel("receives", setup.receives, SeenArgs{seen})));
  co_await rig->sim.until(setup.start);
  co_await launch(rig, kSender, bind_kernel("sends", setup.sends, SeenArgs{seen}));
}

Seen run(const Setup& setup, std::optional<std::uint64_t> shuffle = {}) {
  Rig rig{small_machine(), {.shuffle_ties = shuffle}};
  Seen seen;
  rig.run(both(&rig, setup, &seen));
  return seen;
}

// The end of the first look that sees a tile arriving at `t`, by a PE that has waited since `since`.
Time look_after(Time t, Time since, Time period) {
  period = std::max(period, kDispatch);
  Time look = since + period;
  while (look < t) look += period;
  return look + kDispatch;
}

}  // namespace

TEST_CASE("Polling: a recv goes on at the end of the first look after its tile came") {
  for (int seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random{static_cast<std::uint64_t>(seed)};
    Setup setup{.sends = send_two, .receives = receive_two, .start = 10_us + Time{random.below(200'000)}};
    setup.rings.memory =
        random.any_of({topology::Region::ipcq, topology::Region::ipcq, topology::Region::sram});
    const Seen sleeping = run(setup);
    const Time poll{random.between(1, 100'000)};
    setup.rings.receiver_polls = poll;
    const Seen polling = run(setup);
    CAPTURE(to_string(poll));
    CHECK(polling.asked == sleeping.asked);
    if (setup.rings.memory == topology::Region::ipcq)
      CHECK(polling.received[0] == look_after(sleeping.received[0], polling.asked, poll));
    CHECK(polling.received[0] >= sleeping.received[0] + kDispatch);
    CHECK(polling.received[0] <= sleeping.received[0] + std::max(poll, kDispatch) + kDispatch);
  }
}

TEST_CASE("Polling: a send that found no slot goes at the end of the first look after the credit") {
  for (int seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random{static_cast<std::uint64_t>(seed)};
    Setup setup{.sends = send_two, .receives = receive_two, .start = 10_us};
    setup.rings.slots = 1;
    const Seen sleeping = run(setup);
    const Time poll{random.between(1, 100'000)};
    setup.rings.sender_polls = poll;
    const Seen polling = run(setup);
    const Time passage = sleeping.received[0] - sleeping.first_sent;
    const Time credit = sleeping.received[1] - passage;
    REQUIRE(credit > polling.second_asked);
    CHECK(polling.received[0] == sleeping.received[0]);
    CHECK(polling.received[1] == look_after(credit, polling.second_asked, poll) + passage);
  }
}

TEST_CASE("Polling: a command that is issued while pe_cpu looks is later by the look") {
  Setup setup{.sends = send_two, .receives = load_while_waiting, .start = 100_us};
  const Seen sleeping = run(setup);
  for (const Time poll : {4_ns, 7_ns, 10_ns, 33_ns, 1000_ns}) {
    CAPTURE(to_string(poll));
    setup.rings.receiver_polls = poll;
    const Seen polling = run(setup);
    Time look = polling.asked + poll;
    Time free = polling.asked;
    for (std::size_t i = 0; i < polling.loaded.size(); ++i) {
      const Time took = sleeping.loaded[i] - (i == 0 ? sleeping.asked : sleeping.loaded[i - 1]);
      const Time done = free + took;
      free += kDispatch;
      for (; look <= done; look += poll) free = std::max(free, look) + kDispatch;
      free = std::max(free, done);
      REQUIRE(polling.loaded[i] == free);
    }
    CHECK(polling.loaded.back() >= sleeping.loaded.back());
  }
}

TEST_CASE("Polling: a deadlock is one at once, though its PEs would look for ever") {
  Setup setup{.receives = receive_one};
  setup.rings.receiver_polls = 10_ns;
  Rig rig{small_machine()};
  Seen seen;
  CHECK_THROWS_AS(rig.run(both(&rig, setup, &seen)), DeadlockError);
  CHECK(rig.sim.now() < 100_us);
}

TEST_CASE("Polling: no time hangs on the order of simultaneous events") {
  Setup setup{.sends = send_two, .receives = receive_two, .start = 10_us};
  setup.rings.slots = 1;
  setup.rings.sender_polls = 10_ns;
  setup.rings.receiver_polls = 10_ns;
  const Seen expected = run(setup);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Seen shuffled = run(setup, seed);
    CHECK(shuffled.received == expected.received);
  }
}

}  // namespace kbsim::hw::test::polling_test
