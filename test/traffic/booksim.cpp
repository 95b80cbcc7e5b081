// The input-queued router held against BookSim 2: meshes under uniform traffic, sources to themselves
// included, latency in cycles, and throughput at the bound.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sanitized.hpp"
#include "support.hpp"

namespace kbsim::test::booksim_test {
namespace {

constexpr Bytes kFlit{256};  // a cycle: 1 ns

struct Mesh {
  int k = 4;
  int flits = 1;  // a packet
  int vcs = 8;
  std::string allocator = "islip";
  int speedup = 1;
};

// VA, SA and ST take a cycle each, a link another.
hw::TrafficResult run(const Mesh& mesh, double flits_a_cycle, std::int64_t packets) {
  config::MachineSpec spec = spec_of({.router_overhead_ns = 3.0});
  spec.system.ns_per_mm = 0.4;
  ComponentSpec& router = spec.cube.noc.router;
  router.impl = "builtin.router_iq";
  router.attrs["vcs"] = std::int64_t{mesh.vcs};
  router.attrs["allocator"] = mesh.allocator;
  router.attrs["input_speedup"] = std::int64_t{mesh.speedup};
  const std::string scope = "mesh:" + std::to_string(mesh.k) + "x" + std::to_string(mesh.k);
  return Case{spec, scope, "uniform"}.run({.arrivals = hw::Arrivals::bernoulli,
                                           .rate = flits_a_cycle,
                                           .packet = kFlit * mesh.flits,
                                           .packets = packets,
                                           .warmup = packets / 3});
}

// T0 of BookSim, and the wait.
double latency(const Mesh& mesh, double flits_a_cycle, std::int64_t packets) {
  const double k = mesh.k;
  const double hops = 2.0 * (k - 1.0 / k) / 3.0;
  const double idle = 4.0 * (hops + 1.0) + 2.0 + (mesh.flits - 1);
  return idle + mean_wait(run(mesh, flits_a_cycle, packets)) * mesh.flits;
}

double saturation(const Mesh& mesh, std::int64_t packets) {
  return run(mesh, mesh.k == 4 ? 1.0 : 0.5, packets).accepted;
}

}  // namespace

TEST_CASE("BookSim: latency of an input-queued mesh under uniform traffic" *
          doctest::skip(kbsim::test::kSanitized)) {
  CHECK(latency({}, 0.4, 20'000) == doctest::Approx(16.786).epsilon(0.01));
  CHECK(latency({}, 0.6, 20'000) == doctest::Approx(18.645).epsilon(0.02));
  CHECK(latency({.flits = 4}, 0.4, 10'000) == doctest::Approx(24.53).epsilon(0.03));
  CHECK(latency({.k = 8}, 0.3, 20'000) == doctest::Approx(29.33).epsilon(0.02));
}

TEST_CASE("BookSim: what an input-queued mesh accepts at its bound, with one and with eight channels" *
          doctest::skip(kbsim::test::kSanitized)) {
  CHECK(saturation({}, 30'000) == doctest::Approx(0.770).epsilon(0.03));
  CHECK(saturation({.flits = 4}, 10'000) == doctest::Approx(0.781).epsilon(0.03));
  CHECK(saturation({.vcs = 1}, 30'000) == doctest::Approx(0.359).epsilon(0.03));
  CHECK(saturation({.flits = 4, .vcs = 1}, 10'000) == doctest::Approx(0.526).epsilon(0.03));
}

TEST_CASE("BookSim: channels, speed-up of inputs and allocators matter, a mesh beyond saturation stays") {
  const double one = saturation({.vcs = 1}, 10'000);
  const double two = saturation({.vcs = 2}, 10'000);
  const double four = saturation({.vcs = 4}, 10'000);
  const double eight = saturation({}, 10'000);
  CHECK(one < two);
  CHECK(two < four);
  CHECK(four < eight);
  CHECK(saturation({.speedup = 2}, 10'000) > 1.1 * eight);
  CHECK(saturation({.allocator = "separable"}, 10'000) == doctest::Approx(eight).epsilon(0.1));
  CHECK(run({}, 0.85, 10'000).accepted == doctest::Approx(eight).epsilon(0.03));
  CHECK(run({.vcs = 1}, 0.5, 10'000).accepted == doctest::Approx(one).epsilon(0.03));
}

}  // namespace kbsim::test::booksim_test
