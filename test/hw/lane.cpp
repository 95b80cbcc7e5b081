#include "kbsim/hw/fabric/lane.hpp"

#include <doctest/doctest.h>

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

}  // namespace kbsim::hw::test::lane_test
