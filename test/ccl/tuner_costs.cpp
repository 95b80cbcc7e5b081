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

// Hops beyond the first take 20 ns each, a message to each further peer 12 ns. On a ring of 8 the routes of
// all pairs put 4 * 5 / 2 of them on a link to the east, and the longest has 4 packages; to the west the
// packages opposite send nothing. On a line of 4, 2 * 2 pairs cross the middle.
TEST_CASE("Tuner: the estimates of collectives as libraries run them, on rings, lines and full networks") {
  constexpr std::int64_t kBytes = 8 * 1024;
  const config::MachineSpec ring = machine(8, SipTopology::ring_1d);
  config::MachineSpec line = machine(4, SipTopology::mesh_2d_no_wrap);
  line.system.sips.w = 4;
  line.system.sips.h = 1;
  const config::MachineSpec full = machine(8, SipTopology::full);
  const auto took = [](const config::MachineSpec& on, Time latency, std::int64_t bytes) {
    return latency + on.system.sips.link.bandwidth.serialization(Bytes{bytes});
  };
  const auto check = [&](const char* kernel, const config::MachineSpec& on, Time expected) {
    CAPTURE(kernel);
    CHECK(estimate_of(kernel, on, Bytes{kBytes}) == expected);
  };
  check("two_way_ring_all_gather", ring, took(ring, 4 * 68_ns, kBytes * 7 / 2));
  check("two_way_ring_reduce_scatter", ring, took(ring, 4 * 68_ns, kBytes / 8 * 7 / 2));
  check("two_way_ring_allreduce", ring, took(ring, 8 * 68_ns, kBytes / 8 * 7));
  check("two_way_ring_all_to_all", ring, took(ring, 4 * 68_ns, kBytes / 8 * 8));
  check("line_all_gather", line, took(line, 3 * 68_ns, kBytes * 3));
  check("line_reduce_scatter", line, took(line, 3 * 68_ns, kBytes / 4 * 3));
  check("line_allreduce", line, 2 * took(line, 3 * 68_ns, kBytes / 4 * 3));
  check("line_all_to_all", line, took(line, 3 * 68_ns, kBytes / 4 * 4));
  check("direct_all_to_all", ring, took(ring, 68_ns + 3 * 20_ns + 6 * 12_ns, kBytes / 8 * 10));
  check("one_shot_all_gather", ring, took(ring, 68_ns + 3 * 20_ns + 6 * 12_ns, kBytes * 10));
  // The PE's own link, of 256 GB/s, carries 7 times as much as a link of 128 GB/s between two packages.
  check("one_shot_allreduce", full, 68_ns + 6 * 12_ns + full.pe.link.serialization(Bytes{7 * kBytes}));
  check("doubling_allreduce", full, 3 * took(full, 68_ns, kBytes));
  check("halving_reduce_scatter", full,
        took(full, 68_ns, kBytes / 2) + took(full, 68_ns, kBytes / 4) + took(full, 68_ns, kBytes / 8));
  check("doubling_all_gather", full,
        took(full, 68_ns, kBytes) + took(full, 68_ns, kBytes * 2) + took(full, 68_ns, kBytes * 4));
  // Along a ring, the ranks 2 and 4 away are as many links away, and as many exchanges share a link.
  check("doubling_allreduce", machine(4, SipTopology::ring_1d),
        took(ring, 68_ns, kBytes) + took(ring, 88_ns, kBytes * 2));
}

// Each package is joined with a switch: two links from one to another, and 3 parts of a quarter on each link.
// A link of half the rate takes twice as long, and the latency of a link comes on top of each hop.
TEST_CASE("Tuner: the estimate of a direct all-to-all over a switch") {
  constexpr std::int64_t kBytes = 4 * 1024;
  config::MachineSpec spec = machine(4, SipTopology::links);
  config::SipsSpec& sips = spec.system.sips;
  for (int sip = 0; sip < 4; ++sip) sips.links.push_back({sips.link, "sip" + std::to_string(sip), "switch"});
  const auto took = [&] { return estimate_of("direct_all_to_all", spec, Bytes{kBytes}); };
  const Time latency = 68_ns + 20_ns + 2 * 12_ns;
  const Bandwidth rate = sips.link.bandwidth;
  CHECK(took() == latency + rate.serialization(Bytes{3 * kBytes / 4}));
  sips.links.back().bandwidth = Bandwidth::gbs(rate.gbs() / 2);
  CHECK(took() == latency + rate.serialization(Bytes{2 * 3 * kBytes / 4}));
  sips.links.front().latency = 700_ns;
  CHECK(took() == latency + 2 * 700_ns + rate.serialization(Bytes{2 * 3 * kBytes / 4}));
}

// A ring of 4 by a list, in a grid of 2 x 2: from a row to the next one wire, or two where it isn't a
// neighbour. The formulas count with the slowest wire, and the longest latency.
TEST_CASE("Tuner: the estimates of formulas on listed links count with the slowest one") {
  config::MachineSpec spec = machine(4, SipTopology::links);
  config::SipsSpec& sips = spec.system.sips;
  for (int sip = 0; sip < 4; ++sip)
    sips.links.push_back({sips.link, "sip" + std::to_string(sip), "sip" + std::to_string((sip + 1) % 4)});
  constexpr std::int64_t kBytes = 4 * 1024;
  const auto torus = [&](Bandwidth rate, Time latency) {
    return (2 + 2 * 2) * (68_ns + latency) + rate.serialization(Bytes{2 * 3 * kBytes / 4});
  };
  const Bandwidth rate = sips.link.bandwidth;
  CHECK(estimate_of("torus_allreduce", spec, Bytes{kBytes}) == torus(rate, Time{}));
  sips.links[2].bandwidth = Bandwidth::gbs(rate.gbs() / 8);
  sips.links[1].latency = 900_ns;
  CHECK(estimate_of("torus_allreduce", spec, Bytes{kBytes}) == torus(sips.links[2].bandwidth, 900_ns));
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
