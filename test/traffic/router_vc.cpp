// Input-queued routers: credits, turns, head-of-line blocking and saturation points.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live.hpp"
#include "sanitized.hpp"

namespace kbsim::test::router_vc_test {
namespace {

struct Vcs {
  int count = 8;
  int packets = 16;  // that fit one
};

Case with_vcs(std::string_view scope, std::string_view pattern, Vcs vcs, Machine machine = {}) {
  config::MachineSpec spec = spec_of(machine);
  spec.cube.noc.router.impl = "builtin.router_vc";
  spec.cube.noc.router.attrs["vcs"] = std::int64_t{vcs.count};
  spec.cube.noc.router.attrs["buffer_bytes"] = (kPacket * vcs.packets).count();
  return Case{spec, scope, pattern};
}

}  // namespace

TEST_CASE("Credits: a flow gets min(1, credits / loop time) of its link, packet by packet") {
  for (const int packets : {1, 2, 3, 10, 30}) {
    for (const double overhead : {0.0, 1.0, 20.0}) {
      CAPTURE(packets);
      CAPTURE(overhead);
      const Case row = with_vcs("mesh:2x1", "neighbour", {.count = 1, .packets = packets},
                                {.router_overhead_ns = overhead, .noc_w = 1});
      Live live{row};
      constexpr int kSent = 200;
      live.send(0, 1, kSent);
      live.run();
      const Time wire = live.link("r0_0>r0_1").wire;
      REQUIRE(wire > Time{0});
      const Time loop = kService + 2 * wire + from_ns(overhead);
      const Time round = std::max(loop, packets * kService);
      const auto& came = live.deliveries(1);
      REQUIRE(came.size() == kSent);
      for (int i = 0; i < kSent; ++i) {
        const Time expected = came[0].arrived + i / packets * round + i % packets * kService;
        CHECK(came[static_cast<std::size_t>(i)].arrived == expected);
      }
      CHECK((live.link("r0_0>r0_1").blocked() > Time{0}) == (round > packets * kService));
    }
  }
}

TEST_CASE("Turns: saturated sources in a row get 1/2, 1/4, 1/8 ... of the link at the end") {
  for (const int count : {1, 2, 8}) {
    CAPTURE(count);
    const Case row = with_vcs("mesh:6x1", "neighbour", {.count = count, .packets = 4});
    Live live{row};
    constexpr int kSent = kSanitized ? 5'000 : 20'000;
    for (std::size_t source = 0; source < 5; ++source) live.send(source, 5, kSent);
    live.run();
    std::vector<int> of(5);  // among those that came while all still sent
    for (std::size_t i = 0; i < kSent; ++i) {
      const LinkId first = live.deliveries(5)[i].path->route.front();
      const NodeId from = row.network.graph.link(first).from;
      ++of[static_cast<std::size_t>(std::ranges::find(row.network.sources, from) -
                                    row.network.sources.begin())];
    }
    const std::vector<double> share{1.0 / 16, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2};
    for (std::size_t source = 0; source < 5; ++source)
      CHECK(of[source] == doctest::Approx(share[source] * kSent).epsilon(0.01));
  }
}

// Endpoint 0 sends to 2, over a link that 1 keeps busy, then to 1, which is free.
TEST_CASE(
    "Head of line: a packet that can't go blocks those after it in its queue, but not in another channel") {
  for (const int vcs : {1, 2}) {
    CAPTURE(vcs);
    const Case row = with_vcs("mesh:3x1", "neighbour", {.count = vcs, .packets = 8});
    Live live{row};
    live.send(1, 2, 20);
    live.send(0, 2, 6, 5_ns);
    live.send(0, 1, 1, 15_ns);
    live.run();
    const Time alone = 15_ns + 2 * 1_ns + live.link("r0_0>r0_1").wire + kService;
    CHECK((live.deliveries(1).front().arrived == alone) == (vcs == 2));
    CHECK(live.deliveries(1).front().arrived >= alone);
  }
}

TEST_CASE("Saturation: uniform traffic on 8x8 with 8 channels of 16 packets gets 0.80 to 1.0 of its bound" *
          doctest::skip(kbsim::test::kSanitized)) {
  const Case mesh = with_vcs("mesh:8x8", "uniform", {});
  const hw::TrafficResult result =
      mesh.run({.arrivals = hw::Arrivals::saturated, .packets = 100'000, .warmup = 30'000});
  CHECK(result.accepted > 0.80 * mesh.bound);
  CHECK(result.accepted < mesh.bound);
}

TEST_CASE("Saturation: transpose on 8x8 takes all up to its bound, beyond it the busiest link never rests") {
  const Case mesh = with_vcs("mesh:8x8", "transpose", {});
  constexpr std::int64_t kPackets = kSanitized ? 20'000 : 60'000;
  const hw::TrafficResult below =
      mesh.run({.rate = 0.97 * mesh.bound, .packets = kPackets, .warmup = kPackets / 3});
  CHECK(below.accepted == doctest::Approx(below.offered).epsilon(0.01));
  const hw::TrafficResult beyond =
      mesh.run({.rate = 1.1 * mesh.bound, .packets = kPackets, .warmup = kPackets / 3});
  CHECK(beyond.accepted < 0.995 * beyond.offered);
  CHECK(largest_utilization(beyond) > 0.995);
}

TEST_CASE("Dateline: rings and tori of one-packet buffers never lock, however much is offered") {
  for (const char* scope : {"ring:3", "ring:8", "torus:3x3", "torus:4x5"}) {
    for (const char* pattern : {"uniform", "permutation:7", "hotspot:0.5"}) {
      CAPTURE(scope);
      CAPTURE(pattern);
      const Case ring = with_vcs(scope, pattern, {.count = 2, .packets = 1});
      const hw::TrafficResult result =
          ring.run({.arrivals = hw::Arrivals::saturated, .packets = 5'000, .warmup = 500});
      CHECK(result.accepted > 0.0);
    }
  }
  const Case ring = with_vcs("ring:8", "uniform", {.count = 1});
  CHECK_THROWS_WITH_AS((void)ring.run({.rate = 0.1}), doctest::Contains("at least 2"), ConfigError);
}

TEST_CASE("Traffic: router VC gives equal numbers whatever the order of ties") {
  check_ties(with_vcs("mesh:4x4", "uniform", {.count = 2, .packets = 2}));
}

}  // namespace kbsim::test::router_vc_test
