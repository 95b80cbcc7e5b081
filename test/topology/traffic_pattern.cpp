#include "kbsim/topology/traffic_pattern.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/topology/route.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

TrafficNetwork network(std::string_view scope) { return traffic_network(config::MachineSpec{}, scope); }

using Sinks = std::vector<std::size_t>;

std::string refusal(std::string_view scope, std::string_view pattern) {
  try {
    (void)traffic_case(config::MachineSpec{}, scope, pattern);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

// The nodes of the route between two endpoints, as names.
std::string route(const TrafficNetwork& in, std::size_t from, std::size_t to) {
  std::string text;
  for (const NodeId node : path(in.graph, in.sources[from], in.sinks[to]))
    text += in.graph.node(node).name + " ";
  return text;
}

// A packet of 256 B takes 20 ns at a port, and one of 4096 B its bytes and headers at 12.8 GB/s.
TEST_CASE("Bound: frames and the least time of packets hold up links between packages") {
  config::MachineSpec spec;
  config::ChipLinkSpec& link = spec.system.sips.link;
  link.bandwidth = Bandwidth::gbs(12.8);
  link.packet = 20_ns;
  link.frame.header = 64_B;
  TrafficSetup setup{.scope = "sips", .pattern = "neighbour"};
  const auto busiest = [](const TrafficCase& traffic) {
    double most = 0.0;
    for (std::size_t i = 0; i < traffic.loads.size(); ++i) {
      if (traffic.network.graph.links()[i].framing != nullptr) most = std::max(most, traffic.loads[i]);
    }
    return most;
  };
  const auto bound_of = [&](Bytes size, double ns) {
    setup.sizes = {{size, 1.0}};
    const TrafficCase traffic = traffic_case(spec, setup);
    const double service_ns = static_cast<double>(size.count()) / traffic.network.service.gbs();
    CHECK(traffic.bound == doctest::Approx(service_ns / (busiest(traffic) * ns)));
  };
  bound_of(64_B, 20.0);
  bound_of(4096_B, 4160 / 12.8);
  link.store_and_forward = true;
  bound_of(64_B, 20.0);
  bound_of(4096_B, 4160 / 12.8);
  setup.sizes = {{64_B, 0.5}, {4096_B, 0.5}};
  const TrafficCase both = traffic_case(spec, setup);
  CHECK(both.bound ==
        doctest::Approx(2080 / both.network.service.gbs() / (busiest(both) * (20 + 4160 / 12.8) / 2)));
}

}  // namespace

TEST_CASE("Pattern: transpose sends (x, y) to (y, x), and the diagonal is silent") {
  const TrafficPattern pattern = traffic_pattern(network("mesh:3x3"), "transpose");
  CHECK(pattern.favourite == Sinks{0, 3, 6, 1, 4, 7, 2, 5, 8});
  CHECK(pattern.active == Sinks{1, 2, 3, 5, 6, 7});
}

TEST_CASE("Pattern: neighbour sends to the next in the row, the last to the first") {
  CHECK(traffic_pattern(network("mesh:3x2"), "neighbour").favourite == Sinks{1, 2, 0, 4, 5, 3});
  CHECK(traffic_pattern(network("mesh:1x3"), "neighbour").favourite == Sinks{1, 2, 0});
}

TEST_CASE("Pattern: all-to-one goes to the endpoint in the middle, which is silent") {
  const TrafficPattern pattern = traffic_pattern(network("mesh:3x3"), "all-to-one");
  CHECK(pattern.favourite == Sinks(9, 4));
  CHECK(pattern.active.size() == 8);
}

TEST_CASE("Pattern: a permutation hits every sink once, and a seed always gives the same one") {
  const TrafficNetwork mesh = network("mesh:5x4");
  const Sinks first = traffic_pattern(mesh, "permutation:7").favourite;
  CHECK(std::set(first.begin(), first.end()).size() == 20);
  CHECK(traffic_pattern(mesh, "permutation:7").favourite == first);
  CHECK(traffic_pattern(mesh, "permutation:8").favourite != first);
}

TEST_CASE("Pattern: a hotspot draws its share and what uniform traffic adds") {
  const TrafficNetwork mesh = network("mesh:4x4");
  const TrafficPattern pattern = traffic_pattern(mesh, "hotspot:0.25");
  Random random{1};
  std::vector<int> hits(16);
  constexpr int kDraws = 160'000;
  for (int i = 0; i < kDraws; ++i) ++hits[pattern.draw(0, 16, random)];
  CHECK(hits[10] == doctest::Approx(kDraws * (0.25 + 0.75 / 16)).epsilon(0.02));
  CHECK(hits[0] == doctest::Approx(kDraws * 0.75 / 16).epsilon(0.04));
}

TEST_CASE("Bare network: X before Y on a mesh; the shorter way round on a torus, ties go east and south") {
  CHECK(route(network("mesh:4x4"), 0, 9) == "e0_0 r0_0 r0_1 r1_1 r2_1 e2_1 ");
  CHECK(route(network("torus:4x4"), 0, 15) == "e0_0 r0_0 r0_3 r3_3 e3_3 ");
  CHECK(route(network("torus:4x4"), 0, 10) == "e0_0 r0_0 r0_1 r0_2 r1_2 r2_2 e2_2 ");
  CHECK(route(network("ring:2"), 1, 0) == "e0_1 r0_1 r0_0 e0_0 ");
  CHECK(route(network("mesh:2x2"), 3, 3) == "e1_1 r1_1 e1_1 ");
  CHECK(route(network("link"), 0, 0) == "source sink ");
}

TEST_CASE("Bare network: routers and links are the NOC's, wraps as long as they are drawn") {
  const TrafficNetwork torus = network("torus:4x3");
  const config::MachineSpec spec;
  CHECK(torus.graph.links().size() == 12 * 2 + 12 * 4);
  CHECK(torus.source_bandwidth() == spec.cube.noc.link);
  const auto longest = std::ranges::max(torus.graph.links(), {}, &Link::length_mm);
  CHECK(longest.length_mm == 3 * spec.sip.cube_size.w_mm / spec.cube.noc.w);
}

TEST_CASE("Machine scopes: an endpoint a PE, a cube or a package, at its router") {
  const TrafficNetwork noc = network("sip1.cube2.noc");
  CHECK(noc.sources.size() == 8);
  CHECK(noc.graph.node(noc.sources[3]).name == "sip1.cube2.pe3.endpoint");
  CHECK(route(noc, 0, 0) == "sip1.cube2.pe0.endpoint sip1.cube2.noc.r0_0 sip1.cube2.pe0.endpoint ");
  const TrafficNetwork cubes = network("sip0.cubes");
  CHECK((cubes.w == 4 && cubes.h == 4 && cubes.sinks.size() == 16));
  CHECK(network("sips").sources.size() == 2);
}

TEST_CASE("Scope and pattern: what can't be is refused with what was expected") {
  CHECK(refusal("mesh:4x", "uniform").find("e.g. mesh:8x8") != std::string::npos);
  CHECK(refusal("ring:", "uniform").find("e.g. ring:8") != std::string::npos);
  CHECK(refusal("mesh:1000x1000", "uniform").find("at most 1024") != std::string::npos);
  CHECK(refusal("sip0", "uniform").find("expected mesh:WxH") != std::string::npos);
  CHECK(refusal("sip0.cube0", "uniform").find("expected mesh:WxH") != std::string::npos);
  CHECK(refusal("sip2.cubes", "uniform").find("no sip2") != std::string::npos);
  CHECK(refusal("mesh:2x3", "transpose").find("2 columns and 3 rows") != std::string::npos);
  CHECK(refusal("mesh:2x3", "hotspot").find("hotspot:0.2") != std::string::npos);
  CHECK(refusal("mesh:2x3", "permutation:x").find("permutation:1") != std::string::npos);
  CHECK(refusal("mesh:2x3", "uniform:3").find("no such pattern") != std::string::npos);
  CHECK(refusal("mesh:1x1", "permutation:1").find("no endpoint sends") != std::string::npos);
}

TEST_CASE("rate_bound: no source may send faster than its own link, however the loads are rounded") {
  for (int w = 1; w <= 8; ++w) {
    for (int h = 1; h <= 8; ++h) {
      const std::string scope = "mesh:" + std::to_string(w) + "x" + std::to_string(h);
      CAPTURE(scope);
      CHECK(traffic_case(config::MachineSpec{}, scope, "uniform").bound <= 1.0);
    }
  }
}
