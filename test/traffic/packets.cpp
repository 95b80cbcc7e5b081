// Packets of two sizes, matrices, endpoints' links, rates beyond a link's, and the throughput of each source.
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "sanitized.hpp"
#include "support.hpp"

namespace kbsim::test::packets_test {
namespace {

Case with(const topology::TrafficSetup& setup) {
  Case traffic{"link", "uniform"};
  static_cast<topology::TrafficCase&>(traffic) = topology::traffic_case(spec_of(), setup);
  return traffic;
}

Case matrix(const std::string& scope, const std::string& text) {
  return with(
      {.scope = scope,
       .pattern = "file:M.csv",
       .matrix = std::make_shared<topology::TrafficMatrix>(topology::parse_traffic_matrix(text, "M.csv"))});
}

}  // namespace

// A statistic of a million packets: sanitizers see the same code in the tests below.
TEST_CASE("Two sizes: a link waits as M/G/1 of two services does, and each size has its own latency" *
          doctest::skip(kSanitized)) {
  // Pollaczek and Khinchine: W = rho E[S^2] / (2 E[S] (1 - rho)); sizes 64 B and 192 B, means of 128 B.
  const Case link{"link", "uniform"};
  for (const double rho : {0.3, 0.7}) {
    const hw::TrafficResult result = link.run(
        {.rate = rho, .packet = 64_B, .other = 192_B, .mix = 0.5, .packets = 1'000'000, .warmup = 20'000});
    CHECK(result.service == 500_ps);
    const double moments = (0.5 * 0.25 * 0.25 + 0.5 * 0.75 * 0.75) / (0.5 * 0.5);
    CHECK(mean_wait(result) == doctest::Approx(rho * moments / (2 * (1 - rho))).epsilon(0.03));
    REQUIRE(result.sizes.size() == 2);
    const double share =
        static_cast<double>(result.sizes[0].latencies.size()) / static_cast<double>(result.latencies.size());
    CHECK(share == doctest::Approx(0.5).epsilon(0.01));
    CHECK(result.sizes[0].latencies.front() + 500_ps == result.sizes[1].latencies.front());
    CHECK(largest_utilization(result) == doctest::Approx(rho).epsilon(0.01));
  }
}

TEST_CASE("Two sizes: saturated sources keep their links busy, whatever the share of each") {
  const Case link{"link", "uniform"};
  const hw::TrafficResult result = link.run(
      {.arrivals = hw::Arrivals::saturated, .packet = 64_B, .other = 192_B, .mix = 0.25, .packets = 50'000});
  CHECK(largest_utilization(result) == doctest::Approx(1.0).epsilon(0.001));
  CHECK(static_cast<double>(result.bytes.count()) / to_ns(result.measured) ==
        doctest::Approx(256).epsilon(0.001));
}

TEST_CASE("Two sizes: a share or sizes that can't be are refused") {
  const Case link{"link", "uniform"};
  for (const double mix : {0.0, 1.0, -0.5, 2.0})
    CHECK_THROWS_AS((void)link.run({.packet = 16_B, .other = 80_B, .mix = mix}), UsageError);
  CHECK_THROWS_AS((void)link.run({.packet = 16_B, .other = 16_B, .mix = 0.5}), UsageError);
}

TEST_CASE("Rate: above one a link is saturated, and what is accepted is all that it carries") {
  for (const auto arrivals : {hw::Arrivals::poisson, hw::Arrivals::bernoulli}) {
    const Case link{"link", "uniform"};
    for (const double rate : {1.5, 4.0, 100.0}) {
      CAPTURE(rate);
      const hw::TrafficResult result =
          link.run({.arrivals = arrivals, .rate = rate, .packets = kSanitized ? 20'000 : 50'000});
      CHECK(result.offered == doctest::Approx(rate).epsilon(0.02));
      CHECK(result.accepted == doctest::Approx(1.0).epsilon(0.005));
    }
    const Case mesh{"mesh:4x4", "all-to-one"};
    const hw::TrafficResult result = mesh.run({.arrivals = arrivals, .rate = 2.5, .packets = 30'000});
    CHECK(result.accepted * 15 == doctest::Approx(1.0).epsilon(0.02));
  }
}

TEST_CASE("Matrix: one flow is M/D/1 on its links, at the rate of its entry") {
  Case flow = matrix("mesh:2x2", "0,0,0,0.6\n0,0,0,0\n0,0,0,0\n0,0,0,0\n");
  CHECK(flow.pattern.rate == 0.6);
  const hw::TrafficResult result =
      flow.run({.rate = flow.pattern.rate, .packets = 500'000, .warmup = 20'000});
  CHECK(result.offered == doctest::Approx(0.6).epsilon(0.01));
  CHECK(mean_wait(result) == doctest::Approx(0.6 / (2 * 0.4)).epsilon(0.03));
  CHECK(result.latencies.front() == 3 * 1_ns + 2 * 25_ps + 1_ns);
}

TEST_CASE("Matrix: every source sends as much as its row, and all of it arrives") {
  const Case mesh = matrix("mesh:2x2", "0,0.1,0,0\n0,0,0.2,0\n0,0,0,0.3\n0.2,0.2,0,0\n");
  const hw::TrafficResult result = mesh.run({.rate = mesh.pattern.rate, .packets = 200'000});
  REQUIRE(result.each.size() == 4);
  const double rows[] = {0.1, 0.2, 0.3, 0.4};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(result.each[i].source == i);
    CHECK(result.each[i].offered == doctest::Approx(rows[i]).epsilon(0.02));
    CHECK(result.each[i].accepted == doctest::Approx(rows[i]).epsilon(0.02));
  }
  CHECK(hw::fairness(result.each) == doctest::Approx(1.0 / (4 * 0.3)).epsilon(0.02));  // 1^2 / (4 * 0.3)
}

TEST_CASE("Sources: their rates add up to all that is accepted; equal ones are fair, one alone is 1/n") {
  const Case mesh{"mesh:4x4", "uniform"};
  const hw::TrafficResult result = mesh.run({.rate = 0.5, .packets = 20'000});
  double sum = 0.0;
  std::int64_t packets = 0;
  for (const hw::SourceResult& each : result.each) {
    sum += each.accepted;
    packets += each.packets;
  }
  CHECK(sum / 16 == doctest::Approx(result.accepted));
  CHECK(packets == static_cast<std::int64_t>(result.latencies.size()));
  CHECK(hw::fairness(result.each) > 0.99);
  CHECK(hw::fairness({{.accepted = 0.5}, {.accepted = 0.5}}) == 1.0);
  CHECK(hw::fairness({{.accepted = 0.5}, {.accepted = 0.0}, {.accepted = 0.0}}) == doctest::Approx(1.0 / 3));
}

TEST_CASE("Endpoint links: a slower one is the bottleneck, and its time in the latency") {
  const Case slow = with({.scope = "mesh:2x1",
                          .pattern = "neighbour",
                          .endpoints = {.injection = Bandwidth::gbs(64), .ejection = Bandwidth::gbs(512)}});
  const hw::TrafficResult result =
      slow.run({.arrivals = hw::Arrivals::saturated, .packets = 10'000, .warmup = 100});
  CHECK(result.service == 1_ns);  // still a packet on a link of the network
  CHECK(result.accepted == doctest::Approx(0.25).epsilon(0.001));
  CHECK(result.latencies.front() == 2 * 1_ns + 25_ps + 4_ns);
  const Case fast = with({.scope = "mesh:2x1",
                          .pattern = "neighbour",
                          .endpoints = {.injection = Bandwidth::gbs(1024), .ejection = {}}});
  CHECK(fast.run({.arrivals = hw::Arrivals::saturated, .packets = 10'000}).accepted ==
        doctest::Approx(1.0).epsilon(0.001));
}

}  // namespace kbsim::test::packets_test
