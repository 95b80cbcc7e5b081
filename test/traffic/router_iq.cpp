// The input-queued crossbar: one flit a port at a time, worms, head-of-line blocking, turns, datelines.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live.hpp"
#include "sanitized.hpp"

namespace kbsim::test::router_iq_test {
namespace {

struct Crossbar {
  bool voq = true;
  int flits = 16;  // that fit a channel
  std::string arbiter = "round_robin";
  int vcs = 1;
};

Case with_crossbars(std::string_view scope, std::string_view pattern, const Crossbar& crossbar = {}) {
  config::MachineSpec spec = spec_of();
  spec.cube.noc.router.impl = "builtin.router_iq";
  spec.cube.noc.router.attrs["voq"] = crossbar.voq;
  spec.cube.noc.router.attrs["buffer_flits"] = std::int64_t{crossbar.flits};
  spec.cube.noc.router.attrs["vcs"] = std::int64_t{crossbar.vcs};
  spec.cube.noc.router.attrs["arbiter"] = crossbar.arbiter;
  return Case{spec, scope, pattern};
}

struct Service {
  Time start;
  Time end;
};

// Times at which the packets of each ingress link were sent on, in order.
std::map<LinkId, std::vector<Service>> services(const Live& live) {
  std::map<LinkId, std::vector<Service>> by_port;
  for (const hw::MessageTrace& trace : live.fabric().traces()) {
    for (std::size_t i = 1; i < trace.hops.size(); ++i)
      by_port[trace.hops[i - 1].link].push_back({trace.hops[i].start, trace.hops[i].end});
  }
  for (auto& [port, served] : by_port) std::ranges::sort(served, {}, &Service::start);
  return by_port;
}

int overlaps(const Live& live) {
  int found = 0;
  for (const auto& [port, served] : services(live)) {
    for (std::size_t i = 1; i < served.size(); ++i) found += served[i].start < served[i - 1].end ? 1 : 0;
  }
  return found;
}

// Many packets from every source to every node, all at once.
void flood(Live& live) {
  const std::size_t n = live.network().sources.size();
  for (std::size_t to = 0; to < n; ++to) {
    for (std::size_t from = 0; from < n; ++from) {
      if (from != to) live.send(from, to, 20);
    }
  }
  live.run();
}

// Number of each source's packets among the first `count` that arrive at the last node of a row.
std::vector<int> shares(Live& live, std::size_t sources, std::size_t count) {
  std::vector<int> of(sources);
  const topology::TrafficNetwork& row = live.network();
  for (std::size_t i = 0; i < count; ++i) {
    const NodeId from = row.graph.link(live.deliveries(sources)[i].path->route.front()).from;
    ++of[static_cast<std::size_t>(std::ranges::find(row.sources, from) - row.sources.begin())];
  }
  return of;
}

}  // namespace

TEST_CASE("Crossbar: an input port sends one packet at a time, which several virtual channels do not") {
  for (const bool voq : {false, true}) {
    CAPTURE(voq);
    const Case mesh = with_crossbars("mesh:3x3", "uniform", {.voq = voq, .vcs = 4});
    Live live{mesh};
    flood(live);
    CHECK(overlaps(live) == 0);
    CHECK_NOTHROW(live.fabric().audit());
  }
  config::MachineSpec channels = spec_of();
  channels.cube.noc.router.impl = "builtin.router_vc";
  const Case mesh{channels, "mesh:3x3", "uniform"};
  Live live{mesh};
  flood(live);
  CHECK(overlaps(live) > 0);
}

// Endpoint 0 sends to 2, over a link that 1 keeps busy, then to 1, which is free.
TEST_CASE(
    "Crossbar: a packet that can't go blocks those after it in a FIFO, but not in a virtual output queue") {
  for (const bool voq : {false, true}) {
    CAPTURE(voq);
    const Case row = with_crossbars("mesh:3x1", "neighbour", {.voq = voq});
    Live live{row};
    live.send(1, 2, 20);
    live.send(0, 2, 6, 5_ns);
    live.send(0, 1, 1, 25_ns);
    live.run();
    const topology::Graph& graph = row.network.graph;
    const topology::Route route = topology::find_route(graph, row.network.sources[0], row.network.sinks[1]);
    Time alone = 25_ns + 2 * 1_ns + kService;
    for (const LinkId link : route) alone += graph.link(link).wire;
    // A virtual output queue may still find its input port at another packet, for less than a service.
    const Time arrived = live.deliveries(1).front().arrived;
    CHECK(arrived >= alone);
    CHECK((arrived < alone + kService) == voq);
  }
}

TEST_CASE("Crossbar: round-robin turns halve a row's share at each router, oldest first gives all the same") {
  constexpr int kSent = kSanitized ? 5'000 : 20'000;
  for (const bool voq : {false, true}) {
    CAPTURE(voq);
    for (const char* arbiter : {"round_robin", "oldest_first"}) {
      CAPTURE(arbiter);
      const Case row = with_crossbars("mesh:6x1", "neighbour", {voq, 4, arbiter});
      Live live{row};
      for (std::size_t source = 0; source < 5; ++source) live.send(source, 5, kSent, 0_ns, kService);
      live.run();
      const bool turns = std::string_view{arbiter} == "round_robin";
      const std::vector<double> share = turns ? std::vector{1.0 / 16, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2}
                                              : std::vector<double>(5, 1.0 / 5);
      const std::vector<int> of = shares(live, 5, kSent);
      for (std::size_t source = 0; source < 5; ++source)
        CHECK(of[source] == doctest::Approx(share[source] * kSent).epsilon(0.01));
    }
  }
}

TEST_CASE("Crossbar: a flow alone gets all of its links, with room for the loop of credits") {
  const Case row = with_crossbars("mesh:4x1", "neighbour", {.vcs = 2});
  Live live{row};
  constexpr int kSent = 100;
  live.send(0, 3, kSent);
  live.run();
  const auto& came = live.deliveries(3);
  REQUIRE(came.size() == kSent);
  for (int i = 1; i < kSent; ++i)
    CHECK(came[static_cast<std::size_t>(i)].arrived == came[0].arrived + i * kService);
}

TEST_CASE("Crossbar: rings and tori of one-packet buffers never lock, however much is offered") {
  for (const char* scope : {"ring:3", "ring:8", "torus:3x3", "torus:4x5"}) {
    for (const char* pattern : {"uniform", "permutation:7", "hotspot:0.5"}) {
      for (const bool voq : {false, true}) {
        CAPTURE(scope);
        CAPTURE(pattern);
        CAPTURE(voq);
        const Case ring = with_crossbars(scope, pattern, {voq, 1, "oldest_first", 2});
        const hw::TrafficResult result =
            ring.run({.arrivals = hw::Arrivals::saturated, .packets = 5'000, .warmup = 500});
        CHECK(result.accepted > 0.0);
      }
    }
  }
}

TEST_CASE("Crossbar: virtual output queues take more than FIFOs, and no more than the bound") {
  std::vector<double> accepted;
  for (const bool voq : {false, true}) {
    const Case mesh = with_crossbars("mesh:8x8", "uniform", {.voq = voq});
    const hw::TrafficResult result =
        mesh.run({.arrivals = hw::Arrivals::saturated, .packets = fewer(50'000), .warmup = fewer(20'000)});
    CHECK(result.accepted < mesh.bound);
    accepted.push_back(result.accepted);
  }
  CHECK(accepted[0] < accepted[1]);
}

TEST_CASE("Traffic: router IQ gives equal numbers whatever the order of ties") {
  for (const bool voq : {false, true})
    check_ties(with_crossbars("mesh:4x4", "uniform", {voq, 2, "round_robin", 4}));
}

}  // namespace kbsim::test::router_iq_test
