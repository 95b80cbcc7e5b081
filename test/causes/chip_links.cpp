// Links from chip to chip: their latency, frames and least times on a path, and derivatives beside runs.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runs.hpp"

namespace kbsim::test::causes::chip_links_test {
namespace {

constexpr const char* kLink = "system.sips.link.";

Setup two_packages(const std::vector<std::string>& of_link) {
  Setup setup{.overrides = {"system.sips.count=2", "sip.cube_mesh.w=1", "sip.cube_mesh.h=1"},
              .algorithm = "chunked_ring_allreduce",
              .elements = 4096,
              .over_cubes = false};
  for (const std::string& one : of_link) setup.overrides.push_back(kLink + one);
  return setup;
}

// Compares the change that a derivative predicts with a run.
void check_change(Setup setup, const std::string& key, const std::string& to) {
  CAPTURE(key);
  const Outcome outcome = run(setup);
  const Derivative* const known = find(outcome.paths.front(), kLink + key);
  REQUIRE(known != nullptr);
  const Time predicted = outcome.total + known->change(std::stod(to));
  setup.overrides.push_back(kLink + key + "=" + to);
  CHECK(run(setup, false).total == predicted);
}

bool is_on_path(const Outcome& outcome, const std::string& key) {
  return find(outcome.paths.front(), kLink + key) != nullptr;
}

}  // namespace

TEST_CASE("Links of chips: a latency is part of the wire's time, and its derivative is exact") {
  const Setup setup = two_packages({"latency_ns=700"});
  check_paths(setup);
  check_change(setup, "latency_ns", "700.001");
  check_change(setup, "latency_ns", "701");
  const Outcome outcome = run(setup);
  CHECK(find(outcome.paths.front(), "system.ns_per_mm") != nullptr);
  CHECK_FALSE(is_on_path(run(two_packages({"packet_ns=300"})), "latency_ns"));
}

TEST_CASE("Links of chips: where a packet's least time decides, no rate of the link does") {
  const Setup setup = two_packages({"packet_ns=300"});
  check_paths(setup);
  check_change(setup, "packet_ns", "301");
  CHECK_FALSE(is_on_path(run(setup), "bw_gbs"));
  const Outcome short_packets = run(two_packages({"packet_ns=1"}));  // 256 bytes take 2 ns
  CHECK_FALSE(is_on_path(short_packets, "packet_ns"));
}

TEST_CASE("Links of chips: frames take part of the rate, and their derivatives are exact") {
  const std::vector<std::string> frames{"bw_gbs=1", "frame.payload_bytes=64", "frame.overhead_bytes=10",
                                        "frame.header_bytes=8"};
  const Setup setup = two_packages(frames);
  check_paths(setup);
  check_change(setup, "frame.overhead_bytes", "11");
  check_change(setup, "bw_gbs", "1.001");
  CHECK_FALSE(is_on_path(run(setup), "frame.header_bytes"));  // it may take another frame
  const Setup headers = two_packages({"bw_gbs=1", "frame.header_bytes=16"});
  check_paths(headers);
  check_change(headers, "frame.header_bytes", "17");
}

TEST_CASE("Links of chips: channels and an efficiency share the rate of the link") {
  const Setup setup = two_packages({"bw_gbs=1", "channels=4", "efficiency=0.5"});
  check_paths(setup);
  const Outcome outcome = run(setup);
  const Derivative* const rate = find(outcome.paths.front(), "system.sips.link.bw_gbs");
  const Derivative* const efficiency = find(outcome.paths.front(), "system.sips.link.efficiency");
  REQUIRE(rate != nullptr);
  REQUIRE(efficiency != nullptr);
  CHECK(rate->value == 1.0);
  CHECK_FALSE(rate->shared);
  CHECK(efficiency->shared);
  CHECK(efficiency->elasticity == doctest::Approx(rate->elasticity));
  check_change(setup, "bw_gbs", "1.001");
}

TEST_CASE("Links of chips: a stored packet's way is that of its tail, and its derivatives are exact") {
  const Setup setup = two_packages({"store_and_forward=true", "latency_ns=700", "bw_gbs=10"});
  check_paths(setup);
  check_change(setup, "latency_ns", "701");
  check_change(setup, "bw_gbs", "10.01");
}

TEST_CASE("Links of chips: a port that sends and receives is on the path, and its derivatives are exact") {
  Setup setup = two_packages({"store_and_forward=true", "packet_ns=240", "receive_ns=90", "latency_ns=700"});
  setup.overrides.emplace_back("system.sips.topology=mesh_2d_no_wrap");  // one wire for both ways
  check_paths(setup);
  CHECK(is_on_path(run(setup), "receive_ns"));
  check_change(setup, "receive_ns", "90.001");
  const Setup sends = two_packages({"store_and_forward=true", "packet_ns=240"});
  check_paths(sends);
  check_change(sends, "packet_ns", "241");
}

TEST_CASE("Links of chips: a picosecond of any latency gives what the graph of causes says") {
  for (const char* frames :
       {"latency_ns=700", "packet_ns=300", "frame.header_bytes=64", "store_and_forward=true"}) {
    CAPTURE(frames);
    Setup setup = two_packages({"bw_gbs=2", frames});
    setup.all_causes = 1 << 22;
    const Outcome outcome = run(setup);
    REQUIRE(!outcome.guesses.empty());
    CHECK(check_steps(setup, outcome).off == 0);
  }
}

// A packet occupies the link for 300 ns down to where its bytes take longer: 256 ns at 1 GB/s.
TEST_CASE("Links of chips: the range of a least time ends where the bytes take longer") {
  Setup setup = two_packages({"packet_ns=300", "bw_gbs=1"});
  setup.all_causes = 1 << 22;
  const Outcome outcome = run(setup);
  const Derivative* const least = find(outcome.paths.front(), "system.sips.link.packet_ns");
  REQUIRE(least != nullptr);
  REQUIRE(least->sides.has_value());
  REQUIRE(least->sides->from.has_value());
  CHECK(*least->sides->from >= 256.0);
  CHECK(total_with(setup, "system.sips.link.packet_ns", *least->sides->from) ==
        outcome.total + least->change(*least->sides->from));
}

}  // namespace kbsim::test::causes::chip_links_test
