// Laws of any network: conservation, determinism, Little's law, symmetry.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "support.hpp"

namespace kbsim::test::laws_test {
namespace {

const std::vector<const char*> kScopes{"link",      "ring:5",         "ring:2",     "mesh:3x5", "mesh:1x1",
                                       "torus:4x3", "sip0.cube0.noc", "sip1.cubes", "sips"};

}  // namespace

TEST_CASE("Traffic: every scope delivers what it sends, at the rate it was asked for") {
  for (const char* scope : kScopes) {
    CAPTURE(scope);
    const Case network{scope, "uniform"};
    const double rate = 0.4 * network.bound;
    const hw::TrafficResult result = network.run({.rate = rate, .packets = 20'000, .warmup = 2'000});
    CHECK(result.offered == doctest::Approx(rate).epsilon(0.03));
    CHECK(result.accepted == doctest::Approx(rate).epsilon(0.03));
    CHECK(result.waits.front() == Time{0});
    CHECK(largest_utilization(result) == doctest::Approx(0.4).epsilon(0.08));
  }
}

TEST_CASE("Traffic: utilisation of each link is the load that its routes give it") {
  const Case mesh{"mesh:4x4", "hotspot:0.3"};
  const double rate = 0.7 * mesh.bound;
  const hw::TrafficResult result = mesh.run({.rate = rate, .packets = 300'000});
  for (std::size_t i = 0; i < mesh.loads.size(); ++i)
    CHECK(std::abs(result.utilization[i] - rate * mesh.loads[i]) < 0.01);
}

TEST_CASE("Traffic: equal seeds give equal numbers, whatever the order of ties; other seeds don't") {
  const Case mesh{"mesh:4x4", "uniform"};
  for (const auto arrivals : {hw::Arrivals::poisson, hw::Arrivals::bernoulli, hw::Arrivals::saturated}) {
    hw::TrafficRequest request{.arrivals = arrivals, .rate = 0.6, .packets = 5'000, .warmup = 500};
    const hw::TrafficResult first = mesh.run(request);
    for (const std::uint64_t tie_seed : {1, 2, 3}) {
      request.simulation.shuffle_ties = tie_seed;
      const hw::TrafficResult shuffled = mesh.run(request);
      CHECK(shuffled.digest.value() == first.digest.value());
      CHECK(shuffled.latencies == first.latencies);
      CHECK(shuffled.utilization == first.utilization);
    }
    request.seed = 2;
    CHECK(mesh.run(request).digest.value() != first.digest.value());
  }
}

TEST_CASE("Traffic: a request out of range is refused") {
  const Case link{"link", "uniform"};
  CHECK_THROWS_AS((void)link.run({.rate = 0.0}), UsageError);
  CHECK_THROWS_AS((void)link.run({.rate = 100.1}), UsageError);
  CHECK_THROWS_AS((void)link.run({.rate = std::nan("")}), UsageError);
  CHECK_THROWS_AS((void)link.run({.packets = 0}), UsageError);
  CHECK_THROWS_AS((void)link.run({.warmup = -1}), UsageError);
  CHECK_THROWS_AS((void)link.run({.packet = 0_B}), UsageError);
}

}  // namespace kbsim::test::laws_test
