// Open traffic in time steps against the same with an event for each packet at each hop: all results are
// equal.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/random.hpp"
#include "kbsim/config/net_spec.hpp"

#include "support.hpp"

namespace kbsim::test::time_steps_test {
namespace {

constexpr int kCases = 250;

template <class T, std::size_t n>
const T& any_of(Random& random, const std::array<T, n>& all) {
  return all[random.below(n)];
}

topology::TrafficSetup random_setup(Random& random) {
  constexpr std::array<const char*, 14> kScopes{
      "mesh:4x4", "mesh:8x8",  "mesh:3x5",  "mesh:1x1",       "torus:4x3",  "ring:2", "ring:9",
      "link",     "mesh:12x6", "torus:5x5", "sip0.cube0.noc", "sip0.cubes", "sips",   "mesh:2x1"};
  constexpr std::array<const char*, 5> kPatterns{"uniform", "hotspot:0.3", "all-to-one", "neighbour",
                                                 "permutation:4"};
  topology::TrafficSetup setup{.scope = any_of(random, kScopes)};
  if (setup.scope == "link") return setup;
  setup.pattern = any_of(random, kPatterns);
  constexpr std::array<double, 4> kRates{100.0, 333.0, 1000.0, 2048.0};
  if (random.below(4) == 0) setup.endpoints.injection = Bandwidth::gbs(any_of(random, kRates));
  if (random.below(4) == 0) setup.endpoints.ejection = Bandwidth::gbs(any_of(random, kRates));
  return setup;
}

config::MachineSpec random_machine(Random& random) {
  constexpr std::array<double, 5> kOverheads{1.0, 1.0, 0.1, 0.001, 3.0};
  config::MachineSpec spec = spec_of({.router_overhead_ns = any_of(random, kOverheads)});
  if (random.below(4) == 0) spec.system.ns_per_mm = 0.0;
  return spec;
}

hw::TrafficRequest random_request(Random& random) {
  constexpr std::array<std::int64_t, 8> kSizes{256, 256, 16, 1, 100, 1000, 4096, 40'000};
  constexpr std::array<double, 8> kRates{0.01, 0.1, 0.3, 0.5, 0.9, 2.0, 20.0, 100.0};
  hw::TrafficRequest request{.rate = any_of(random, kRates),
                             .packet = Bytes{any_of(random, kSizes)},
                             .packets = 1 + static_cast<std::int64_t>(random.below(3000)),
                             .warmup = static_cast<std::int64_t>(random.below(3)) * 100,
                             .seed = random.below(1000)};
  request.arrivals = static_cast<hw::Arrivals>(random.below(3));
  if (random.below(3) == 0) {
    request.other = Bytes{77};
    request.mix = 0.25 + 0.5 * random.uniform();
  }
  return request;
}

// Returns nothing if no node sends.
std::optional<topology::TrafficCase> case_of(const config::MachineSpec& machine,
                                             const topology::TrafficSetup& setup) {
  try {
    return topology::traffic_case(machine, setup);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

// Returns nothing if no packet was measured.
std::optional<hw::TrafficResult> run(const topology::TrafficCase& network, hw::TrafficRequest request,
                                     bool by_events) {
  request.by_events = by_events;
  try {
    return hw::run_traffic(network, request);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

void check_equal(const hw::TrafficResult& a, const hw::TrafficResult& b) {
  CHECK(a.digest.value() == b.digest.value());
  CHECK(a.simulated == b.simulated);
  CHECK(a.measured == b.measured);
  CHECK(a.offered == b.offered);
  CHECK(a.accepted == b.accepted);
  CHECK(a.bytes == b.bytes);
  CHECK(a.hops == b.hops);
  CHECK(a.latencies == b.latencies);
  CHECK(a.waits == b.waits);
  CHECK(a.utilization == b.utilization);
  CHECK(a.demand == b.demand);
  CHECK(a.blocked == b.blocked);
  REQUIRE(a.each.size() == b.each.size());
  for (std::size_t i = 0; i < a.each.size(); ++i) {
    CHECK(a.each[i].packets == b.each[i].packets);
    CHECK(a.each[i].latency == b.each[i].latency);
    CHECK(a.each[i].offered == b.each[i].offered);
    CHECK(a.each[i].accepted == b.each[i].accepted);
  }
  REQUIRE(a.sizes.size() == b.sizes.size());
  for (std::size_t i = 0; i < a.sizes.size(); ++i) {
    CHECK(a.sizes[i].latencies == b.sizes[i].latencies);
    CHECK(a.sizes[i].waits == b.sizes[i].waits);
  }
  REQUIRE(a.use.size() == b.use.size());
  for (std::size_t i = 0; i < a.use.size(); ++i) {
    CHECK(a.use[i].served == b.use[i].served);
    CHECK(a.use[i].bytes == b.use[i].bytes);
    CHECK(a.use[i].busy == b.use[i].busy);
    CHECK(a.use[i].waited == b.use[i].waited);
    CHECK(a.use[i].longest == b.use[i].longest);
  }
}

topology::TrafficCase line_of_three() {
  const auto net = std::make_shared<config::Net>(config::parse_net(
      "nodes: [a, b, c]\nlinks:\n  a<>b: {length_mm: 1}\n  b<>c: {length_mm: 2}\n", "net.yaml"));
  return topology::traffic_case(spec_of(), topology::TrafficSetup{.scope = "file:net.yaml", .net = net});
}

}  // namespace

TEST_CASE("Time steps: all that is measured is what it is with an event for each packet at each hop") {
  int in_steps = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    CAPTURE(seed);
    Random random{static_cast<std::uint64_t>(seed)};
    const config::MachineSpec machine = random_machine(random);
    const topology::TrafficSetup setup = random_setup(random);
    const hw::TrafficRequest request = random_request(random);
    CAPTURE(setup.scope);
    CAPTURE(setup.pattern);
    const std::optional<topology::TrafficCase> network = case_of(machine, setup);
    if (!network) continue;
    const std::optional<hw::TrafficResult> one = run(*network, request, false);
    const std::optional<hw::TrafficResult> other = run(*network, request, true);
    REQUIRE(one.has_value() == other.has_value());
    if (!one) continue;
    check_equal(*one, *other);
    in_steps += static_cast<int>(one->events != other->events);
  }
  CHECK(in_steps > kCases / 2);
}

TEST_CASE("Time steps: packets of one time go by port, those that a source sends in no time after them") {
  const topology::TrafficCase line = line_of_three();
  // All times are multiples of a service, so most packets meet others of their time.
  const hw::TrafficRequest request{.arrivals = hw::Arrivals::bernoulli, .rate = 0.6, .packets = 5000};
  const std::optional<hw::TrafficResult> one = run(line, request, false);
  const std::optional<hw::TrafficResult> other = run(line, request, true);
  CHECK(one->events < other->events / 2);
  check_equal(*one, *other);
}

TEST_CASE("Time steps: latencies and waits are in order, and all there, many or few") {
  for (const int packets : {100, 50'000}) {
    const Case mesh{"mesh:4x4", "hotspot:0.3"};
    const hw::TrafficResult result = mesh.run({.rate = mesh.bound, .packets = packets, .warmup = 0});
    CHECK(std::ranges::is_sorted(result.latencies));
    CHECK(std::ranges::is_sorted(result.waits));
    CHECK(result.waits.size() == result.latencies.size());
    Time of_sources{};
    for (const hw::SourceResult& source : result.each) of_sources += source.latency;
    CHECK(std::accumulate(result.latencies.begin(), result.latencies.end(), Time{}) == of_sources);
  }
}

TEST_CASE("Time steps: not through nodes that choose among packets, and not by random order") {
  config::MachineSpec spec = spec_of();
  hw::TrafficRequest request{.rate = 0.3, .packets = 500, .warmup = 50};
  const auto events = [&](bool by_events) {
    return run(topology::traffic_case(spec, "mesh:3x3", "uniform"), request, by_events)->events;
  };
  CHECK(events(false) < events(true));
  request.simulation.shuffle_ties = 7;
  CHECK(events(false) == events(true));
  request.simulation.shuffle_ties.reset();
  spec.cube.noc.router.impl = "builtin.router_vc";
  CHECK(events(false) == events(true));
}

}  // namespace kbsim::test::time_steps_test
