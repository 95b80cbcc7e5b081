// Networks of many queues: waits on an 8x8 mesh, and saturation points of patterns.
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "sanitized.hpp"
#include "support.hpp"

namespace kbsim::test::mesh_test {
namespace {

double wait_at(double load, Bytes packet, const Machine& machine) {
  const Case mesh{"mesh:8x8", "uniform", machine};
  const hw::TrafficResult result =
      mesh.run({.rate = load * mesh.bound, .packet = packet, .packets = 500'000, .warmup = 50'000});
  return mean_wait(result);
}

}  // namespace

// All queues of a path together, the source's and the sink's links included; a source is its own target
// as often as any other.
// A statistic of millions of packets: sanitizers see the same code in the tests below.
TEST_CASE("Mesh: uniform traffic on 8x8 waits 1.145 services at half of its bound, 3.92 at 0.8 of it" *
          doctest::skip(kSanitized)) {
  for (const auto& [load, wait] : {std::pair{0.5, 1.145}, {0.8, 3.92}}) {
    for (const auto& [packet, overhead] : {std::pair{64_B, 1.0}, {1024_B, 0.0}, {1024_B, 20.0}}) {
      CAPTURE(overhead);
      CHECK(wait_at(load, packet, {.router_overhead_ns = overhead}) == doctest::Approx(wait).epsilon(0.02));
    }
  }
}

TEST_CASE("Bound: transpose on a k x k mesh saturates at 1/(k-1), uniform at the bisection") {
  for (int k = 2; k <= 9; ++k) {
    const std::string mesh = "mesh:" + std::to_string(k) + "x" + std::to_string(k);
    CHECK(Case{mesh, "transpose"}.bound == doctest::Approx(1.0 / (k - 1)));
    const double half = k / 2 * ((k + 1) / 2) / static_cast<double>(k);  // packets over the middle link
    CHECK(Case{mesh, "uniform"}.bound == doctest::Approx(std::min(1.0, 1.0 / half)));
  }
}

TEST_CASE("Bound: known patterns on known networks") {
  CHECK(Case{"link", "uniform"}.bound == 1.0);
  CHECK(Case{"mesh:4x4", "all-to-one"}.bound == doctest::Approx(1.0 / 15));
  CHECK(Case{"mesh:4x4", "hotspot:1"}.bound == doctest::Approx(1.0 / 15));
  CHECK(Case{"mesh:4x4", "neighbour"}.bound == 1.0);
  CHECK(Case{"ring:8", "uniform"}.bound == doctest::Approx(1.0 / 1.25));  // (1+2+3+4)/8 go east of each
  CHECK(Case{"torus:8x8", "uniform"}.bound == doctest::Approx(1.0 / 1.25));
}

TEST_CASE("Saturation: up to the bound all is accepted, beyond it the busiest link is always busy") {
  const Case mesh{"mesh:4x4", "transpose"};
  const hw::TrafficResult below = mesh.run({.rate = 0.9 * mesh.bound, .packets = 200'000});
  CHECK(below.accepted == doctest::Approx(below.offered).epsilon(0.01));
  CHECK(largest_utilization(below) == doctest::Approx(0.9).epsilon(0.02));
  const hw::TrafficResult beyond = mesh.run({.rate = 1.5 * mesh.bound, .packets = 50'000});
  CHECK(beyond.accepted < 0.95 * beyond.offered);
  CHECK(largest_utilization(beyond) > 0.999);
  CHECK(largest_utilization(beyond) <= 1.0);
}

TEST_CASE("Saturation: all-to-one drains at exactly one link's bandwidth") {
  for (const char* scope : {"mesh:3x3", "ring:9", "sip0.cube0.noc"}) {
    const Case network{scope, "all-to-one"};
    const hw::TrafficResult result =
        network.run({.arrivals = hw::Arrivals::saturated, .packets = 20'000, .warmup = 2'000});
    const auto sources = static_cast<double>(network.pattern.active.size());
    CHECK(result.accepted * sources == doctest::Approx(1.0).epsilon(0.001));
    CHECK(largest_utilization(result) == 1.0);
  }
}

}  // namespace kbsim::test::mesh_test
