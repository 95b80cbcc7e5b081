#include "kbsim/hw/fabric/lane.hpp"

#include <doctest/doctest.h>

#include "random_machine.hpp"

namespace kbsim::hw::test::lane_test {

TEST_CASE("Lane: busy until a time is what was served by then, gaps between packets left out") {
  Lane lane{Bandwidth::gbs(256)};
  (void)lane.reserve(10_ns, 10_ns, 512_B);
  CHECK(lane.busy_until(10_ns) == 0_ns);
  CHECK(lane.busy_until(11_ns) == 1_ns);
  CHECK(lane.busy_until(20_ns) == 2_ns);
  (void)lane.reserve(20_ns, 20_ns, 256_B);
  CHECK(lane.busy_until(20_ns) == 2_ns);
  CHECK(lane.busy_until(20'500_ps) == 2'500_ps);
  CHECK(lane.busy_until(30_ns) == lane.busy());
}

TEST_CASE("Lane: a late tail keeps the server, and isn't time that it is busy") {
  Lane lane{Bandwidth::gbs(256)};
  (void)lane.reserve(10_ns, 15_ns, 256_B);
  CHECK(lane.free() == 15_ns);
  CHECK(lane.busy_until(10'500_ps) == 500_ps);
  CHECK(lane.busy_until(12_ns) == 1_ns);
  (void)lane.reserve(12_ns, 12_ns, 256_B);
  CHECK(lane.free() == 16_ns);
  CHECK(lane.busy_until(12_ns) == 1_ns);
  CHECK(lane.busy_until(16_ns) == 2_ns);
}

TEST_CASE("Lane: a run of packets is served as they are one by one") {
  Random random{1};
  for (int i = 0; i < 20'000; ++i) {
    Lane one{Bandwidth::gbs(random.any_of({64, 100, 256}))};
    (void)one.reserve(0_ns, random.below(40) * 1_ns, Bytes{random.between(1, 4000)});
    Lane run{one};
    const Bytes size{random.between(1, 1000)};
    const Time head = random.below(30'000) * 1_ps;
    const Time tail = head + random.below(10'000) * 1_ps;
    const Time gap = random.any_of({0, 500, 1000, random.below(20'000)}) * 1_ps;
    const int count = random.between(1, 30);
    Lane::Slot slot{.start = kForever, .end = {}};
    for (int p = 0; p < count; ++p) {
      const Lane::Slot next = one.reserve(head + p * gap, tail + p * gap, size);
      slot = {.start = std::min(slot.start, next.start), .end = next.end};
    }
    const Lane::Slot all = run.reserve_run(head, tail, gap, count, size, run.rate().serialization(size));
    CAPTURE(i);
    REQUIRE(all.start == slot.start);
    REQUIRE(all.end == slot.end);
    REQUIRE(run.free() == one.free());
    REQUIRE(run.busy() == one.busy());
    REQUIRE(run.busy_until(head) == one.busy_until(head));
    REQUIRE(run.waited() == one.waited());
    REQUIRE(run.longest_queue() == one.longest_queue());
    REQUIRE(run.packets() == one.packets());
    REQUIRE(run.bytes() == one.bytes());
  }
}

}  // namespace kbsim::hw::test::lane_test
