#include "kbsim/hw/pe/looks.hpp"

#include <doctest/doctest.h>

#include "random_machine.hpp"

using namespace kbsim;
using namespace kbsim::hw;
using namespace kbsim::hw::test;

namespace {

// Looks one by one, as the contract says.
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

TEST_CASE("Looks: the first is a period after the beginning, and there is one each period") {
  Looks looks;
  CHECK(!looks.under_way());
  looks.begin(100_ns, {.period = 10_ns, .cost = 4_ns});
  CHECK(looks.next(100_ns) == 110_ns);
  CHECK(looks.next(110_ns) == 110_ns);
  CHECK(looks.next(110_ns + 1_ps) == 120_ns);
  static_cast<void>(looks.spend({}, 115_ns));
  CHECK(looks.next(110_ns) == 110_ns);  // whoever was told of a look hasn't moved it
  looks.end(120_ns);
  CHECK(!looks.under_way());
}

TEST_CASE("Looks: those that take longer than the period follow one another") {
  Looks looks;
  looks.begin(0_ns, {.period = 1_ns, .cost = 4_ns});
  CHECK(looks.next(1_ns) == 4_ns);
  CHECK(looks.next(5_ns) == 8_ns);
}

TEST_CASE("Looks: an idle pe_cpu is free when the last look is over, a busy one later by all of them") {
  Looks looks;
  looks.begin(0_ns, {.period = 10_ns, .cost = 4_ns});
  CHECK(looks.after(0_ns, 9_ns) == 0_ns);
  CHECK(looks.after(0_ns, 10_ns) == 14_ns);
  CHECK(looks.after(0_ns, 39_ns) == 34_ns);
  CHECK(looks.after(100_ns, 39_ns) == 112_ns);
  CHECK(looks.spend(100_ns, 39_ns) == 112_ns);
  CHECK(looks.spend(112_ns, 39_ns) == 112_ns);
  looks.end(45_ns);
  CHECK(looks.spend(0_ns, 1000_ns) == 44_ns);
}

TEST_CASE("Looks: however often pe_cpu asks, it is the same as looking one by one") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const Time cost{random.between(1, 20)};
    const Time period{random.between(static_cast<int>(cost.count()), 60)};
    Looks looks;
    Naive naive{.period = period, .cost = cost};
    Time now{};
    Time clock{};
    for (int step = 0; step < 60; ++step) {
      now += Time{random.below(200)};
      const Time expected = naive.spend(clock, now);
      if (random.below(3) == 0 && looks.under_way()) {
        looks.end(now);
        naive.next = kForever;
      } else if (random.below(2) == 0 && !looks.under_way()) {
        looks.begin(now, {.period = period, .cost = cost});
        naive.next = now + period;
      }
      REQUIRE(looks.after(clock, now) == expected);
      REQUIRE(looks.spend(clock, now) == expected);
      clock = std::max(expected, now) + Time{random.below(3) * 30};
    }
  }
}

TEST_CASE("Looks: pe_cpu that never asks between pays for all of them in the end") {
  Looks looks;
  looks.begin(0_ns, {.period = 10_ns, .cost = 4_ns});
  looks.end(30_ns);
  looks.begin(31_ns, {.period = 10_ns, .cost = 4_ns});
  CHECK(looks.after(100_ns, 41_ns) == 100_ns + 4 * 4_ns);
  CHECK(looks.after(0_ns, 41_ns) == 45_ns);
  looks.end(41_ns);
  CHECK(looks.spend(0_ns, 41_ns) == 45_ns);
}
