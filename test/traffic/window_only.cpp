// Runs that end with the time that is measured.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support.hpp"

namespace kbsim::test::window_only_test {
namespace {

topology::TrafficCase network_of(const std::string& router, const std::string& scope) {
  config::MachineSpec spec = spec_of();
  spec.cube.noc.router.impl = router;
  return topology::traffic_case(spec, {.scope = scope});
}

}  // namespace

TEST_CASE("Window only: what is offered, what is accepted and links are as in the whole run") {
  for (const char* router : {"builtin.router", "builtin.router_vc", "builtin.router_iq"}) {
    const topology::TrafficCase network = network_of(router, "mesh:4x4");
    for (const double rate : {0.2, 1.0, 5.0}) {
      for (const bool by_events : {false, true}) {
        CAPTURE(router);
        CAPTURE(rate);
        CAPTURE(by_events);
        hw::TrafficRequest request{.rate = rate, .packets = 4000, .warmup = 1000, .by_events = by_events};
        const hw::TrafficResult whole = hw::run_traffic(network, request);
        request.window_only = true;
        const hw::TrafficResult cut = hw::run_traffic(network, request);
        CHECK(cut.offered == doctest::Approx(whole.offered));
        CHECK(cut.accepted == whole.accepted);
        CHECK(cut.utilization == whole.utilization);
        CHECK(cut.demand == whole.demand);
        CHECK(cut.bytes == whole.bytes);
        CHECK(cut.simulated <= whole.simulated);
        REQUIRE(cut.under_way);
        CHECK(!whole.under_way);
        CHECK(*cut.under_way + static_cast<std::int64_t>(cut.latencies.size()) ==
              static_cast<std::int64_t>(whole.latencies.size()));
      }
    }
  }
}

TEST_CASE("Window only: beyond saturation the run takes no longer than warm-up and window") {
  const topology::TrafficCase network = network_of("builtin.router", "mesh:4x4");
  // 2000 and 8000 packets of 16 sources at 2 a service of 1 ns: 312.5 ns.
  const hw::TrafficResult cut =
      hw::run_traffic(network, {.rate = 2.0, .packets = 8000, .warmup = 2000, .window_only = true});
  CHECK(to_ns(cut.simulated) <= 312.5);
  CHECK(*cut.under_way > 4000);
  CHECK(cut.offered == doctest::Approx(2.0).epsilon(0.05));
}

TEST_CASE("Window only: a lone link at a chance every service leaves under way what is on it") {
  const topology::TrafficCase link = network_of("builtin.router", "link");
  const hw::TrafficResult cut = hw::run_traffic(
      link, {.arrivals = hw::Arrivals::saturated, .packets = 100, .warmup = 10, .window_only = true});
  const std::int64_t sent = static_cast<std::int64_t>(cut.latencies.size()) + *cut.under_way;
  CHECK(sent == 100);
  CHECK(*cut.under_way >= 1);
  CHECK(*cut.under_way <= 10);
}

TEST_CASE("Window only: a closed loop, and a window in which nothing arrives, are refused") {
  const topology::TrafficCase link = network_of("builtin.router", "link");
  CHECK_THROWS_WITH_AS((void)hw::run_traffic(link, {.outstanding = 2, .window_only = true}),
                       doctest::Contains("--window-only: has no effect with --outstanding"), UsageError);
  CHECK_THROWS_WITH_AS(
      (void)hw::run_traffic(link, {.rate = 100.0, .packets = 1, .warmup = 0, .window_only = true}),
      doctest::Contains("no packet of the window had arrived at its end"), UsageError);
}

}  // namespace kbsim::test::window_only_test
