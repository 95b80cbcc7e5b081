// Worms: messages in flits that hold a virtual channel from their first to their last.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live.hpp"

namespace kbsim::test::worms_test {
namespace {

constexpr std::int64_t kFlits = 4;
constexpr Time kFlit = kService / kFlits;

struct Router {
  int vcs = 1;
  int buffer = 16;
  std::int64_t flits = 64;  // of a worm, at most
  bool voq = false;
};

Case with_worms(std::string_view scope, const Router& router) {
  config::MachineSpec spec = spec_of();
  spec.cube.noc.router.impl = "builtin.router_iq";
  spec.cube.noc.router.attrs["flit_bytes"] = (kPacket / kFlits).count();
  spec.cube.noc.router.attrs["vcs"] = std::int64_t{router.vcs};
  spec.cube.noc.router.attrs["buffer_flits"] = std::int64_t{router.buffer};
  spec.cube.noc.router.attrs["packet_flits"] = router.flits;
  spec.cube.noc.router.attrs["voq"] = router.voq;
  return Case{spec, scope, "neighbour"};
}

std::vector<Time> gaps(Live& live, std::size_t to) {
  std::vector<Time> gaps;
  const auto& came = live.deliveries(to);
  for (std::size_t i = 1; i < came.size(); ++i) gaps.push_back(came[i].arrived - came[i - 1].arrived);
  return gaps;
}

}  // namespace

TEST_CASE("Worms: one alone is as fast as with output queues if buffers cover the loop of credits") {
  const Case queued{"mesh:4x1", "neighbour"};
  Live plain{queued};
  plain.send(0, 3, 1);
  plain.run();
  for (const int buffer : {16, 12}) {
    const Case row = with_worms("mesh:4x1", {.buffer = buffer});
    Live live{row};
    live.send(0, 3, 1);
    live.run();
    CHECK(live.deliveries(3).front().arrived == plain.deliveries(3).front().arrived);
  }
  const Case row = with_worms("mesh:4x1", {.buffer = 1});
  Live live{row};
  live.send(0, 3, 1);
  live.run();
  CHECK(live.deliveries(3).front().arrived > plain.deliveries(3).front().arrived);
}

// The next worm of a channel asks for its own when the last flit before it has gone: a flit's time.
TEST_CASE("Worms: a single channel carries L flits in L + 1 cycles, several channels carry them in L") {
  for (const int vcs : {1, 2}) {
    CAPTURE(vcs);
    const Case row = with_worms("mesh:4x1", {.vcs = vcs});
    Live live{row};
    live.send(0, 3, 50);
    live.run();
    const std::vector<Time> found = gaps(live, 3);
    const Time period = vcs == 1 ? kService + kFlit : kService;
    for (std::size_t i = 10; i < found.size(); ++i) CHECK(found[i] == period);
  }
}

TEST_CASE("Worms: a longer message goes as several") {
  const Case row = with_worms("mesh:4x1", {.flits = 2});
  Live live{row};
  live.send(0, 3, 50);
  live.run();
  const std::vector<Time> found = gaps(live, 3);
  for (std::size_t i = 10; i < found.size(); ++i) CHECK(found[i] == 2 * (kService / 2 + kFlit));
}

// 0 and 1 send to 2 at one time. In one channel the second waits for the last flit of the first; in two
// their flits take turns, so that both are late.
TEST_CASE("Worms: flits of several channels share a link, those of one don't") {
  std::vector<Time> between;
  for (const int vcs : {1, 2}) {
    const Case row = with_worms("mesh:3x1", {.vcs = vcs});
    Live live{row};
    const topology::Graph& graph = row.network.graph;
    const Time wire =
        graph.link(topology::find_route(graph, row.network.sources[0], row.network.sinks[1])[1]).wire;
    live.send(0, 2, 1);
    live.send(1, 2, 1, 1_ns + wire);
    live.run();
    REQUIRE(live.deliveries(2).size() == 2);
    between.push_back(live.deliveries(2)[1].arrived - live.deliveries(2)[0].arrived);
  }
  CHECK(between[0] == kService + kFlit);
  CHECK(between[1] == kFlit);
}

TEST_CASE("Worms: equal numbers whatever the order of ties, all delivered, no credit lost") {
  for (const bool voq : {false, true})
    check_ties(with_worms("mesh:4x4", {.vcs = 2, .buffer = 3, .voq = voq}));
}

}  // namespace kbsim::test::worms_test
