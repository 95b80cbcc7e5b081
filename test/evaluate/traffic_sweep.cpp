#include "kbsim/evaluate/traffic_sweep.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace kbsim::evaluate::test::traffic_sweep_test {

TEST_CASE("sweep_loads: beyond the bound, but never faster than a source's link") {
  CHECK(sweep_loads(0.5).size() == 15);
  CHECK(sweep_loads(0.5).back() == 1.2);
  CHECK(sweep_loads(1.0).back() == 1.0);
  for (const double load : sweep_loads(0.9)) CHECK(load * 0.9 <= 1.0);
}

TEST_CASE("sweep_traffic: a simulation that fails costs its own point alone") {
  const topology::TrafficCase traffic = topology::traffic_case(config::MachineSpec{}, "mesh:2x2", "uniform");
  const hw::TrafficRequest request{.packets = 100, .warmup = 10};
  const auto swept = [&](const std::vector<double>& loads) {
    return sweep_traffic(traffic, request, loads, 1, false);
  };
  const TrafficSweep whole = swept({0.2, 0.3});
  CHECK_FALSE(whole.failed);
  const TrafficSweep some = swept({0.2, 1e-30, 1e-40, 0.3});
  REQUIRE(some.points.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) CHECK(some.points[i].digest.value() == whole.points[i].digest.value());
  REQUIRE(some.failed);
  CHECK(some.failed->exit_code() == ExitCode::usage);
  CHECK(std::string{some.failed->what()}.starts_with("load 1e-30: so few packets"));
}

}  // namespace kbsim::evaluate::test::traffic_sweep_test
