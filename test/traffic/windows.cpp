// Service time of a link in a window: at most the window; adjacent windows add up.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support.hpp"

namespace kbsim::test::windows_test {
namespace {

using Busy = std::vector<Time>;  // by link

topology::TrafficCase network_of(const std::string& router, std::optional<double> injection_gbs) {
  config::MachineSpec spec = spec_of();
  spec.cube.noc.router.impl = router;
  topology::TrafficSetup setup{.scope = "mesh:3x3"};
  if (injection_gbs) setup.endpoints.injection = Bandwidth::gbs(*injection_gbs);
  return topology::traffic_case(spec, setup);
}

// Busy times of the links during `packets` packets, after `warmup` packets of warm-up.
Busy busy(const topology::TrafficCase& network, hw::TrafficRequest request, int warmup, int packets) {
  request.warmup = warmup;
  request.packets = packets;
  const hw::TrafficResult result = hw::run_traffic(network, request);
  Busy all;
  for (const double share : result.utilization) {
    CHECK(share >= 0.0);
    CHECK(share <= 1.0);
    all.emplace_back(std::llround(share * static_cast<double>(result.measured.count())));
  }
  return all;
}

void check_conserved(const topology::TrafficCase& network, const hw::TrafficRequest& request) {
  constexpr int kEdges[]{100, 130, 200, 500};
  Busy sum(network.network.graph.links().size());
  for (int i = 0; i + 1 < 4; ++i) {
    const Busy window = busy(network, request, kEdges[i], kEdges[i + 1] - kEdges[i]);
    for (std::size_t link = 0; link < sum.size(); ++link) sum[link] += window[link];
  }
  CHECK(sum == busy(network, request, kEdges[0], kEdges[3] - kEdges[0]));
}

}  // namespace

TEST_CASE("Windows: a link is busy in each for no longer than it lasts, and in all of them as in one") {
  for (const char* router : {"builtin.router", "builtin.router_vc", "builtin.router_iq"}) {
    for (const std::optional<double> injection : {std::optional<double>{}, {100.0}, {1000.0}}) {
      const topology::TrafficCase network = network_of(router, injection);
      for (const double rate : {0.1, 0.5, 1.0, 3.0, 30.0, 100.0}) {
        CAPTURE(router);
        CAPTURE(rate);
        CAPTURE(injection.value_or(0.0));
        check_conserved(network, {.rate = rate, .packet = 700_B});
        check_conserved(network, {.rate = rate, .packet = 16_B, .other = 1000_B, .mix = 0.5});
      }
    }
  }
}

TEST_CASE("Windows: so it is where packets are outstanding") {
  for (const char* router : {"builtin.router", "builtin.router_vc", "builtin.router_iq"}) {
    CAPTURE(router);
    for (const int outstanding : {1, 8})
      check_conserved(network_of(router, 100.0),
                      {.packet = 700_B, .outstanding = outstanding, .reply = 64_B});
  }
}

}  // namespace kbsim::test::windows_test
