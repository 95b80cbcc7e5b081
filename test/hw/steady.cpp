#include "kbsim/hw/fabric/steady.hpp"

#include <doctest/doctest.h>

#include "kbsim/hw/fabric/lane.hpp"

#include "random_machine.hpp"

namespace kbsim::hw::test::steady_test {
namespace {

// Packets of one size, one after the other at one distance, over a link that others have used before.
struct Case {
  Bandwidth rate = Bandwidth::gbs(1.0);
  Bytes size;
  Time overhead{}, first{}, length{}, gap{}, before{};
};

Case random_case(Random& random) {
  return {.rate = Bandwidth::gbs(random.any_of({64.0, 77.7, 128.0, 256.0})),
          .size = Bytes{random.any_of({1, 64, 256})},
          .overhead = random.any_of({0_ns, 1_ns, 2_ns}),
          .first = random.below(5) * 1_ns,
          .length = random.below(3) * 1_ns,
          .gap = random.between(1, 6) * 500_ps,
          .before = random.below(3) * 4_ns};
}

std::vector<Passage> passages(const Case& one, int packets) {
  Lane lane{one.rate};
  if (one.before > 0_ns) (void)lane.reserve(0_ns, one.before, 1_B);
  std::vector<Passage> all;
  for (int i = 0; i < packets; ++i) {
    const Time head = one.first + i * one.gap;
    const Time tail = head + one.length;
    const Lane::Slot slot = lane.reserve(head + one.overhead, tail + one.overhead, one.size);
    all.push_back({.head = head, .tail = tail, .start = slot.start, .end = slot.end});
  }
  return all;
}

bool goes_on(const std::vector<Passage>& all) {
  const Time step = all[1].start - all[0].start;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].start - all[i - 1].start != step || all[i].end - all[i - 1].end != step) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("Steady: packets that begin so leave at one distance, however many follow") {
  int steadies = 0;
  int others = 0;
  int missed = 0;  // cases that go on, but weren't recognized
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const Case one = random_case(random);
    const std::vector<Passage> all = passages(one, 40);
    const bool published = steady(all[0], all[1], one.overhead, one.rate.serialization(one.size));
    if (published) CHECK(goes_on(all));
    ++(published ? steadies : others);
    missed += !published && goes_on(all) ? 1 : 0;
  }
  CHECK(steadies > 500);
  CHECK(others > 200);
  CHECK(missed < steadies / 100);
}

TEST_CASE("Steady: a queue that grows is steady, one that drains isn't") {
  const Time service = 2_ns;
  const Passage one{.head = 0_ns, .tail = 1_ns, .start = 10_ns, .end = 12_ns};
  CHECK(steady(one, {.head = 1_ns, .tail = 2_ns, .start = 12_ns, .end = 14_ns}, 0_ns, service));
  CHECK(steady(one, {.head = 2_ns, .tail = 3_ns, .start = 12_ns, .end = 14_ns}, 0_ns, service));
  CHECK_FALSE(steady(one, {.head = 3_ns, .tail = 4_ns, .start = 12_ns, .end = 14_ns}, 0_ns, service));
}

}  // namespace kbsim::hw::test::steady_test
