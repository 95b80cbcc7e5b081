// A fixed number of packets in flight: throughput is that number over the round trip.
#include <vector>

#include <doctest/doctest.h>

#include "support.hpp"

namespace kbsim::test::closed_loop_test {
namespace {

using Kept = hw::TrafficRequest;

// One source of a row sends to the last node of it.
Case row_of(int nodes) {
  return Case{"mesh:" + std::to_string(nodes) + "x1", "all-to-one:" + std::to_string(nodes - 1)};
}

Case only_first(Case row) {
  row.pattern.active = {0};
  return row;
}

double packets_a_ps(const hw::TrafficResult& result) {
  return result.accepted / static_cast<double>(result.service.count());
}

}  // namespace

TEST_CASE("Closed loop: one packet outstanding has the throughput 1/latency, exactly") {
  for (const int nodes : {2, 3, 7}) {
    CAPTURE(nodes);
    const Case row = only_first(row_of(nodes));
    const hw::TrafficResult result = row.run({.outstanding = 1, .packets = 1000, .warmup = 10});
    const Time latency = nodes * 1_ns + (nodes - 1) * 25_ps + 1_ns;
    CHECK(result.latencies.front() == latency);
    CHECK(result.latencies.back() == latency);
    CHECK(result.round_trips == result.latencies);
    CHECK(result.measured == 1000 * latency);
    CHECK(packets_a_ps(result) * static_cast<double>(latency.count()) == doctest::Approx(1.0).epsilon(1e-12));
  }
}

TEST_CASE("Closed loop: with a reply the round trip is both ways, and throughput its inverse") {
  const Case row = only_first(row_of(4));
  const hw::TrafficResult result =
      row.run({.packet = 64_B, .outstanding = 1, .reply = 1_KiB, .packets = 500, .warmup = 10});
  const Time way = 4 * 1_ns + 3 * 25_ps;
  const Time trip = way + 250_ps + way + 4_ns;  // 64 B there and 1 KiB back at 256 GB/s
  CHECK(result.round_trips.front() == trip);
  CHECK(result.round_trips.back() == trip);
  CHECK(result.latencies.back() == way + 250_ps);
  CHECK(result.measured == 500 * trip);
}

TEST_CASE("Closed loop: n packets outstanding carry min(1, n service/latency) of a lone flow") {
  const Case row = only_first(row_of(5));
  const Time latency = 5 * 1_ns + 4 * 25_ps + 1_ns;
  for (const int n : {1, 2, 4, 6, 7, 16}) {
    CAPTURE(n);
    const hw::TrafficResult result = row.run({.outstanding = n, .packets = 7 * 1000, .warmup = 700});
    const double window = n * 1000.0 / static_cast<double>(latency.count());
    CHECK(result.accepted == doctest::Approx(std::min(1.0, window)).epsilon(1e-3));
  }
}

TEST_CASE("Closed loop: Little's law: throughput times mean round trip is what is outstanding") {
  const Case mesh{"mesh:4x4", "uniform"};
  for (const Bytes reply : {0_B, 64_B}) {
    const hw::TrafficResult result =
        mesh.run({.outstanding = 4, .reply = reply, .packets = 100'000, .warmup = 10'000});
    const double rate =
        static_cast<double>(result.round_trips.size()) / static_cast<double>(result.measured.count());
    CHECK(rate * mean(result.round_trips) == doctest::Approx(4.0 * 16).epsilon(0.002));
    CHECK(result.round_trips.size() >= 100'000);  // several packets may return at the last time
    CHECK(result.round_trips.size() < 100'016);
  }
}

TEST_CASE("Closed loop: no order of ties shows, with or without replies, on other routers, too") {
  config::MachineSpec crossbars = spec_of();
  crossbars.cube.noc.router.impl = "builtin.router_iq";
  for (const Case& traffic : {Case{"mesh:4x4", "uniform"}, Case{"torus:3x3", "hotspot:0.3"},
                              Case{crossbars, "mesh:3x3", "uniform"}}) {
    for (const Bytes reply : {0_B, 32_B}) {
      hw::TrafficRequest request{.outstanding = 3, .reply = reply, .packets = 3'000, .warmup = 300};
      const hw::TrafficResult first = traffic.run(request);
      for (const std::uint64_t ties : {1, 2, 3}) {
        request.simulation.shuffle_ties = ties;
        const hw::TrafficResult shuffled = traffic.run(request);
        CHECK(shuffled.digest.value() == first.digest.value());
        CHECK(shuffled.round_trips == first.round_trips);
        CHECK(shuffled.measured == first.measured);
        CHECK(shuffled.utilization == first.utilization);
      }
    }
  }
}

TEST_CASE("Closed loop: all to one shares the hotspot's link, whatever is outstanding") {
  const Case mesh{"mesh:3x3", "all-to-one:0,0"};
  for (const int n : {2, 8}) {
    const hw::TrafficResult result = mesh.run({.outstanding = n, .packets = 20'000, .warmup = 2'000});
    CHECK(result.accepted * 8 == doctest::Approx(1.0).epsilon(0.001));
    CHECK(result.offered == result.accepted);
  }
}

TEST_CASE("Closed loop: a number outstanding that can't be is refused") {
  const Case link{"link", "uniform"};
  CHECK_THROWS_AS((void)link.run({.outstanding = -1}), UsageError);
  CHECK_THROWS_AS((void)link.run({.outstanding = 100'000}), UsageError);
  CHECK_THROWS_AS((void)link.run({.outstanding = 1, .reply = 2_GiB}), UsageError);
}

}  // namespace kbsim::test::closed_loop_test
