// Networks of files: a line and a star against closed forms, grids against the bare ones, and mistakes.
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/config/net_spec.hpp"

#include "support.hpp"

namespace kbsim::test::file_network_test {
namespace {

using Kept = hw::TrafficRequest;

topology::TrafficCase file_case(const std::string& yaml, const std::string& pattern,
                                const config::MachineSpec& spec = spec_of(),
                                topology::ToSelf to_self = topology::ToSelf::random) {
  const auto net = std::make_shared<config::Net>(config::parse_net(yaml, "net.yaml"));
  return topology::traffic_case(
      spec,
      topology::TrafficSetup{.scope = "file:net.yaml", .pattern = pattern, .net = net, .to_self = to_self});
}

std::string error_of(const std::string& yaml) {
  try {
    (void)config::parse_net(yaml, "net.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

// w x h nodes with the links of a bare grid; around their ends, too, if it is a torus.
std::string grid_yaml(int w, int h, const std::string& routing, bool wraps, double pitch_mm) {
  std::string nodes;
  std::string links;
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      nodes += fmt::format("{}n{}_{}", nodes.empty() ? "" : ", ", x, y);
      const auto join = [&](int to_x, int to_y) {
        const int steps = std::abs(to_x - x) + std::abs(to_y - y);
        links += fmt::format("  n{}_{}<>n{}_{}: {{length_mm: {}}}\n", x, y, to_x, to_y, steps * pitch_mm);
      };
      if (x + 1 < w || wraps) join((x + 1) % w, y);
      if (y + 1 < h || wraps) join(x, (y + 1) % h);
    }
  }
  return fmt::format("nodes: [{}]\ncolumns: {}\nrouting: {}\nwraps: {}\nlinks:\n{}", nodes, w, routing, wraps,
                     links);
}

// The load over the link of this name.
double load_of(const topology::TrafficCase& traffic, const std::string& link) {
  const topology::Graph& graph = traffic.network.graph;
  for (std::uint32_t i = 0; i < graph.links().size(); ++i)
    if (graph.link_name(LinkId{i}) == link) return traffic.loads[i];
  FAIL("no link " << link);
  return 0.0;
}

const std::string kStar =
    "nodes: [hub, a, b, c, d]\nendpoints: [a, b, c, d]\nlinks: {hub<>a: , hub<>b: , hub<>c: , hub<>d: }\n";

}  // namespace

TEST_CASE("Network of a file: a packet over a line takes routers, wires and the slowest link") {
  const config::MachineSpec spec = spec_of();
  topology::TrafficCase line = file_case(
      "nodes: [a, b, c]\nlinks:\n  a<>b: {length_mm: 10}\n  b<>c: {bandwidth_gbs: 64, length_mm: 30}\n",
      "all-to-one:2");
  line.pattern.active = {0};
  const hw::TrafficResult result = run_traffic(line, Kept{.outstanding = 1, .packets = 200, .warmup = 10});
  const Time wires = from_ns(40.0 * spec.system.ns_per_mm);
  CHECK(result.latencies.front() == 3 * 1_ns + wires + 4_ns);  // 256 B at 64 GB/s
  CHECK(result.latencies.back() == result.latencies.front());
}

TEST_CASE("Network of a file: a link of a line that all take bounds the rate") {
  const topology::TrafficCase line =
      file_case("nodes: [a, b, c, d]\nlinks: {a<>b: , b<>c: {bandwidth_gbs: 128}, c<>d: }\n", "uniform");
  CHECK(line.bound == doctest::Approx(0.5));  // two of four send a half over it, at half of the rate
  const hw::TrafficResult result = run_traffic(line, Kept{.rate = 1.5 * line.bound, .packets = 20'000});
  CHECK(largest_utilization(result) > 0.99);
}

TEST_CASE("Network of a file: a star's leaves share its hub's links") {
  const config::MachineSpec spec = spec_of();
  CHECK(file_case(kStar, "uniform", spec, topology::ToSelf::none).bound == doctest::Approx(1.0));
  const topology::TrafficCase to_one = file_case(kStar, "all-to-one:0");
  CHECK(to_one.bound == doctest::Approx(1.0 / 3));  // of three others
  CHECK(load_of(to_one, "hub>a") == doctest::Approx(3.0));
  CHECK(load_of(to_one, "a>a.endpoint") == doctest::Approx(3.0));
  const hw::TrafficResult lone =
      run_traffic(file_case(kStar, "permutation:3"), Kept{.outstanding = 1, .packets = 200, .warmup = 10});
  CHECK(lone.latencies.back() == 3 * 1_ns + from_ns(2.0 * spec.system.ns_per_mm) + 1_ns);
}

TEST_CASE("Network of a file: grids have the figures of bare ones of their shape") {
  for (const std::string router : {"builtin.router", "builtin.router_vc", "builtin.router_iq"}) {
    config::MachineSpec spec = spec_of();
    spec.cube.noc.router = {.impl = router, .attrs = {}, .at = {}};
    const double pitch = spec.sip.cube_size.w_mm / spec.cube.noc.w;
    for (const auto& [scope, wraps] : {std::pair{"mesh:4x2", false}, {"torus:4x4", true}}) {
      CAPTURE(router + scope);
      const Case bare{spec, scope, "uniform"};
      const topology::TrafficCase file =
          file_case(grid_yaml(4, wraps ? 4 : 2, "xy", wraps, pitch), "uniform", spec);
      CHECK(file.bound == bare.bound);
      CHECK(file.loads == bare.loads);
      const Kept request{.rate = 0.7 * bare.bound, .packets = 2000, .warmup = 200};
      const hw::TrafficResult a = run_traffic(file, request);
      const hw::TrafficResult b = bare.run(request);
      CHECK(a.latencies == b.latencies);
      CHECK(a.waits == b.waits);
      CHECK(a.accepted == b.accepted);
      CHECK(a.utilization == b.utilization);
    }
  }
}

TEST_CASE("Network of a file: yx turns where xy doesn't") {
  const topology::TrafficCase xy = file_case(grid_yaml(2, 2, "xy", false, 1.0), "permutation:1");
  const topology::TrafficCase yx = file_case(grid_yaml(2, 2, "yx", false, 1.0), "transpose");
  const topology::TrafficCase transposed = file_case(grid_yaml(2, 2, "xy", false, 1.0), "transpose");
  CHECK(xy.bound > 0.0);
  CHECK(load_of(transposed, "n1_0>n0_0") == doctest::Approx(1.0));
  CHECK(load_of(yx, "n1_0>n1_1") == doctest::Approx(1.0));
}

TEST_CASE("Network of a file: the fewest links first, then the least wire") {
  const std::string ends = "nodes: [a, b, c, d]\nendpoints: [a, d]\nlinks: {a<>b: , b<>d: , ";
  const topology::TrafficCase wire =
      file_case(ends + "a<>c: {length_mm: 0.4}, c<>d: {length_mm: 0.4}}\n", "all-to-one:1");
  CHECK(load_of(wire, "a>c") == doctest::Approx(1.0));
  CHECK(load_of(wire, "a>b") == 0.0);
  const topology::TrafficCase links = file_case(ends + "a<>d: {length_mm: 100}}\n", "all-to-one:1");
  CHECK(load_of(links, "a>d") == doctest::Approx(1.0));
}

TEST_CASE("Network of a file: a table's ways are taken, links where it has none") {
  const std::string ring =
      "nodes: [a, b, c, d]\nendpoints: [a, c, d]\nrouting: table\nlinks: "
      "{a<>b: , b<>c: , c<>d: , d<>a: }\nroutes: {a>c: {via: [b]}, c>a: {via: [d]}}\n";
  const topology::TrafficCase to_c = file_case(ring, "all-to-one:1");
  CHECK(load_of(to_c, "a>b") == doctest::Approx(1.0));
  CHECK(load_of(to_c, "d>c") == doctest::Approx(1.0));
  const topology::TrafficCase to_a = file_case(ring, "all-to-one:0");
  CHECK(load_of(to_a, "d>a") == doctest::Approx(2.0));
  CHECK(load_of(to_a, "b>a") == 0.0);
  const hw::TrafficResult result = run_traffic(to_a, Kept{.rate = 0.2, .packets = 500, .warmup = 50});
  CHECK(result.accepted == doctest::Approx(0.2).epsilon(0.2));
}

TEST_CASE("Network of a file: mistakes have their places") {
  const std::string two = "nodes: [a, b]\nlinks:\n";
  CHECK(error_of("") == "net.yaml: the file is empty");
  CHECK(error_of("nodes: []\n").find("net.yaml:1:1: nodes: expected 1 to 1024 names") == 0);
  CHECK(error_of("nodes: [a, a]\n").find("'a' is there twice") != std::string::npos);
  CHECK(error_of("nodes: [a.b]\n").find("'a.b' is no name") != std::string::npos);
  CHECK(error_of("nodes: [a]\nendpionts: [a]\n").find("did you mean 'endpoints'?") != std::string::npos);
  CHECK(error_of("nodes: [a]\nendpoints: [b]\n").find("net.yaml:2:1: endpoints: 'b' is no node") == 0);
  CHECK(error_of("nodes: [a, b, c]\ncolumns: 2\n").find("3 nodes don't fill rows of 2") != std::string::npos);
  CHECK(error_of(two + "  a-b:\n").find("net.yaml:3:3: links.a-b: expected A<>B") == 0);
  CHECK(error_of(two + "  a<>x:\n").find("net.yaml:3:3: links.a<>x: 'x' is no node") == 0);
  CHECK(error_of(two + "  a<>a:\n").find("joins a node to itself") != std::string::npos);
  CHECK(error_of(two + "  a<>b:\n  b>a:\n").find("net.yaml:4:3: links.b>a: b>a is there already") == 0);
  CHECK(error_of(two + "  a<>b: {bandwidth_gbs: 0}\n").find("net.yaml:3:25: links.a<>b.bandwidth_gbs") == 0);
  CHECK(error_of(two + "  a>b:\n").find("net.yaml: links: no way b>a") == 0);
  CHECK(error_of("nodes: [a, b, c]\nlinks: {a<>b: }\n").find("no way a>c, and 1 more") != std::string::npos);
}

TEST_CASE("Network of a file: mistakes of routings have their places") {
  const std::string row = "nodes: [a, b, c]\nrouting: ";
  CHECK(error_of(row + "xy\nlinks: {a<>b: }\n").find("routing xy needs a link b>c") != std::string::npos);
  CHECK(error_of(row + "yx\nlinks: {a<>b: , b<>c: , a>c: }\n").find("routing yx never takes it") !=
        std::string::npos);
  CHECK(error_of(row + "shortest\nwraps: true\nlinks: {a<>b: , b<>c: }\n").find("wraps: has no effect") !=
        std::string::npos);
  const std::string line = "\nlinks: {a<>b: , b<>c: }\nroutes: ";
  CHECK(error_of(row + "shortest" + line + "{a>c: {via: [b]}}\n")
            .find("has no effect without routing: table") != std::string::npos);
  CHECK(error_of(row + "table" + line + "{a>c: {via: [b]}}\n").find("routes: no way c>a") !=
        std::string::npos);
  CHECK(error_of(row + "table" + line + "{a>c: }\n").find("there is no link a>c") != std::string::npos);
  CHECK(error_of(row + "table" + line + "{a>c: {via: [b, a]}}\n").find("passes 'a' twice") !=
        std::string::npos);
  CHECK(error_of(row + "tabel" + line + "{}\n").find("did you mean 'table'?") != std::string::npos);
}

}  // namespace kbsim::test::file_network_test
