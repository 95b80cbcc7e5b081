#include "kbsim/hw/pe/poll_clock.hpp"

#include <doctest/doctest.h>

#include "random_machine.hpp"

namespace kbsim::hw::test::poll_clock_test {
namespace {

// A clock that counts each look, as the contract says.
struct Naive {
  Time period;
  Time cost;
  Time next = kForever;

  Time spend(Time clock, Time now) {
    for (; next <= now; next += period) clock = std::max(clock, next) + cost;
    return clock;
  }
};

}  // namespace

TEST_CASE("PollClock: the first is a period after the beginning, and there is one each period") {
  PollClock polls;
  CHECK(!polls.under_way());
  polls.begin(100_ns, {.period = 10_ns, .cost = 4_ns});
  CHECK(polls.next(100_ns) == 110_ns);
  CHECK(polls.next(110_ns) == 110_ns);
  CHECK(polls.next(110_ns + 1_ps) == 120_ns);
  static_cast<void>(polls.spend({}, 115_ns));
  CHECK(polls.next(110_ns) == 110_ns);  // spending time doesn't move the look
  polls.end(120_ns);
  CHECK(!polls.under_way());
}

TEST_CASE("PollClock: those that take longer than the period follow one another") {
  PollClock polls;
  polls.begin(0_ns, {.period = 1_ns, .cost = 4_ns});
  CHECK(polls.next(1_ns) == 4_ns);
  CHECK(polls.next(5_ns) == 8_ns);
}

TEST_CASE("PollClock: an idle pe_cpu is free when the last look is over, a busy one later by all of them") {
  PollClock polls;
  polls.begin(0_ns, {.period = 10_ns, .cost = 4_ns});
  CHECK(polls.after(0_ns, 9_ns) == 0_ns);
  CHECK(polls.after(0_ns, 10_ns) == 14_ns);
  CHECK(polls.after(0_ns, 39_ns) == 34_ns);
  CHECK(polls.after(100_ns, 39_ns) == 112_ns);
  CHECK(polls.spend(100_ns, 39_ns) == 112_ns);
  CHECK(polls.spend(112_ns, 39_ns) == 112_ns);
  polls.end(45_ns);
  CHECK(polls.spend(0_ns, 1000_ns) == 44_ns);
}

TEST_CASE("PollClock: however often pe_cpu asks, it is the same as looking one by one") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const Time cost{random.between(1, 20)};
    const Time period{random.between(static_cast<int>(cost.count()), 60)};
    PollClock polls;
    Naive naive{.period = period, .cost = cost};
    Time now{};
    Time clock{};
    for (int step = 0; step < 60; ++step) {
      now += Time{random.below(200)};
      const Time expected = naive.spend(clock, now);
      if (random.below(3) == 0 && polls.under_way()) {
        polls.end(now);
        naive.next = kForever;
      } else if (random.below(2) == 0 && !polls.under_way()) {
        polls.begin(now, {.period = period, .cost = cost});
        naive.next = now + period;
      }
      REQUIRE(polls.after(clock, now) == expected);
      REQUIRE(polls.spend(clock, now) == expected);
      clock = std::max(expected, now) + Time{random.below(3) * 30};
    }
  }
}

TEST_CASE("PollClock: pe_cpu that never asks between pays for all of them in the end") {
  PollClock polls;
  polls.begin(0_ns, {.period = 10_ns, .cost = 4_ns});
  polls.end(30_ns);
  polls.begin(31_ns, {.period = 10_ns, .cost = 4_ns});
  CHECK(polls.after(100_ns, 41_ns) == 100_ns + 4 * 4_ns);
  CHECK(polls.after(0_ns, 41_ns) == 45_ns);
  polls.end(41_ns);
  CHECK(polls.spend(0_ns, 41_ns) == 45_ns);
}

}  // namespace kbsim::hw::test::poll_clock_test
