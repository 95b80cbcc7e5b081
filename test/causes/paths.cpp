// Paths of collectives: they sum, name the limiting units, and their counts agree with runs with other keys.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "random_setup.hpp"

namespace kbsim::test::causes::paths_test {
namespace {

double count(const Explanation& explanation, const std::string& key) {
  const Derivative* found = find(explanation, key);
  return found != nullptr ? found->count : 0.0;
}

// Few packages, so that no packet waits for another.
std::vector<std::string> ring_of(int packages) {
  return {fmt::format("system.sips.count={}", packages), "sip.cube_mesh.w=1", "sip.cube_mesh.h=1"};
}

}  // namespace

TEST_CASE("Path: of a run and of each order it sums to the picosecond, and changes nothing") {
  for (std::uint64_t seed = 1; seed <= draws(30); ++seed) {
    CAPTURE(seed);
    check_paths(random_setup(seed));
  }
}

// A latency's count is exact where left and right agree; at a tie or where an order flips they don't.
TEST_CASE("Derivatives: counts of the path are what a picosecond more or less of a key gives") {
  int agreed = 0;
  int all = 0;
  for (std::uint64_t seed = 1; seed <= draws(6); ++seed) {
    const Setup setup = random_setup(seed);
    const Outcome outcome = run(setup);
    for (const Derivative& key : outcome.paths.front().keys) {
      if (key.unit != "ns") continue;
      const Time less = outcome.total - total_with(setup, key.key, key.value - 0.001);
      const Time more = total_with(setup, key.key, key.value + 0.001) - outcome.total;
      ++all;
      CAPTURE(seed);
      CAPTURE(key.key);
      const auto exact = static_cast<std::int64_t>(key.count);
      CHECK((less != more || more == Time{exact}));
      agreed += more == Time{exact} || less == Time{exact} ? 1 : 0;
    }
  }
  MESSAGE(agreed, " of ", all);
  CHECK(10 * agreed >= 9 * all);
}

TEST_CASE("Derivatives: a bandwidth's prediction rounds each of its terms anew") {
  const Setup setup{.overrides = ring_of(1), .elements = 4096};
  const Outcome outcome = run(setup);
  const Derivative* key = find(outcome.paths.front(), "system.host_link.bw_gbs");
  REQUIRE(key != nullptr);
  for (const double to : {63.9, 64.1, 70.0, 50.0}) {
    CAPTURE(to);
    CHECK(total_with(setup, key->key, to) == outcome.total + key->change(to));
  }
}

// Six ports of dies between two cubes of two packages, and two there and back between host and cube.
TEST_CASE("Path of a chunked ring: 2 (N - 1) steps, each over all ports between two neighbours") {
  for (const int packages : {2, 3, 4}) {
    const Setup setup{.overrides = ring_of(packages),
                      .algorithm = "chunked_ring_allreduce",
                      .elements = packages * 8,
                      .over_cubes = false};
    const Outcome outcome = run(setup);
    CAPTURE(packages);
    CHECK(count(launch(outcome), "sip.ucie.overhead_ns") == 2 * (packages - 1) * 6 + 4);
  }
}

TEST_CASE("Path: a flow with one slot waits for it, one with many doesn't") {
  Setup setup{.overrides = ring_of(3),
              .algorithm = "pipelined_ring_allreduce",
              .elements = 20'000,
              .over_cubes = false};
  const auto waits_for_slots = [](const Explanation& one) {
    for (const Share& wait : one.waits) {
      if (wait.name == "a free slot of the peer") return wait.time;
    }
    return Time{0};
  };
  setup.slots = 1;
  const Outcome few = run(setup);
  CHECK(launch(few).waits.front().name == "a free slot of the peer");
  CHECK(4 * waits_for_slots(launch(few)) > launch(few).path.length());
  setup.slots = 64;
  CHECK(waits_for_slots(launch(run(setup))) == Time{0});
}

}  // namespace kbsim::test::causes::paths_test
