#include "kbsim/evaluate/traffic_sweep.hpp"

#include <doctest/doctest.h>

namespace kbsim::evaluate::test::traffic_sweep_test {

TEST_CASE("sweep_loads: beyond the bound, but never faster than a source's link") {
  CHECK(sweep_loads(0.5).size() == 15);
  CHECK(sweep_loads(0.5).back() == 1.2);
  CHECK(sweep_loads(1.0).back() == 1.0);
  for (const double load : sweep_loads(0.9)) CHECK(load * 0.9 <= 1.0);
}

}  // namespace kbsim::evaluate::test::traffic_sweep_test
