// The tuner's estimates, each against the formula of its algorithm.
#include <cstdint>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/ccl/tuner.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace kbsim::ccl::tuner_costs_test {
namespace {

using config::SipTopology;

// Cost of an algorithm on N packages, w by h, for S bytes: steps of 68 ns, and bytes that cross one link.
struct Expected {
  std::int64_t steps;
  Bytes crossing;
};

config::MachineSpec machine(int n, SipTopology topology) {
  config::MachineSpec spec;
  spec.system.sips.count = n;
  spec.system.sips.topology = topology;
  return spec;
}

Time estimate_of(const std::string& kernel, const config::MachineSpec& machine, Bytes bytes) {
  config::CclSpec declared;
  declared.algorithms["it"].kernel = kernel;
  declared.algorithms["it"].topology = "ring_1d";
  const auto all = candidates(declared, machine, declared.algorithms["it"].collective, bytes);
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].estimate);
  return *all[0].estimate;
}

void check_costs(const config::MachineSpec& machine, Bytes bytes,
                 const std::map<std::string, Expected>& costs) {
  for (const auto& [kernel, cost] : costs) {
    CAPTURE(kernel);
    CHECK(estimate_of(kernel, machine, bytes) ==
          cost.steps * 68_ns + machine.system.sips.link.bandwidth.serialization(cost.crossing));
  }
}

}  // namespace

// 8 packages are a grid of 4 by 2; on a ring, the next row is 4 packages away. In each half of a ring
// all-reduce, 7 chunks of S / 8 cross a link; in a bidirectional ring, each direction has half of them.
TEST_CASE("Tuner: the estimates on a ring of 8 packages are those of the formulas") {
  constexpr std::int64_t kBytes = 8 * 128;
  constexpr std::int64_t kChunk = kBytes / 8;
  check_costs(machine(8, SipTopology::ring_1d), Bytes{kBytes},
              {{"ring_allreduce", {7, Bytes{7 * kBytes}}},
               {"mesh_allreduce", {3 + 1 * 4, Bytes{7 * kBytes}}},
               {"tree_allreduce", {2 * 3, Bytes{2 * 3 * kBytes}}},
               {"chunked_ring_allreduce", {2 * 7, Bytes{2 * 7 * kChunk}}},
               {"pipelined_ring_allreduce", {2 * 7, Bytes{2 * 7 * kChunk}}},
               {"bidirectional_ring_allreduce", {2 * 7, Bytes{7 * kChunk}}},
               {"torus_allreduce", {2 * 3 + 2 * 1 * 4, Bytes{4 * 7 * kChunk}}},
               {"ring_all_gather", {7, Bytes{7 * kBytes}}},
               {"ring_reduce_scatter", {7, Bytes{7 * kChunk}}},
               {"ring_broadcast", {7, Bytes{kBytes}}},
               {"ring_reduce", {7, Bytes{kBytes}}},
               {"ring_all_to_all", {7, Bytes{7 * kBytes / 2}}},
               {"hello_send", {1, Bytes{kBytes}}}});
}

TEST_CASE("Tuner: the estimates on a torus of 6 packages are those of the formulas, a row one link away") {
  constexpr std::int64_t kBytes = 6 * 1024;
  constexpr std::int64_t kChunk = kBytes / 6;
  check_costs(machine(6, SipTopology::torus_2d), Bytes{kBytes},
              {{"mesh_allreduce", {2 + 1, Bytes{3 * kBytes}}},
               {"torus_allreduce", {2 * 2 + 2 * 1, Bytes{5 * kChunk}}},
               {"bidirectional_ring_allreduce", {2 * 5, Bytes{5 * kChunk}}},
               {"chunked_ring_allreduce", {2 * 5, Bytes{2 * 5 * kChunk}}}});
}

// A tree over N packages has one level per doubling from one package to N: 5 packages have the levels of 8, a
// single package has none.
TEST_CASE("Tuner: a tree's estimate has the levels of the next power of two") {
  const std::map<int, std::int64_t> levels{{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}, {16, 4}};
  for (const auto& [n, count] : levels) {
    CAPTURE(n);
    check_costs(machine(n, SipTopology::ring_1d), 512_B,
                {{"tree_allreduce", {2 * count, Bytes{2 * count * 512}}}});
  }
}

}  // namespace kbsim::ccl::tuner_costs_test
