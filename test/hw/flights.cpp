// Packets that are told ahead when links serve them: as with an event for each packet at each hop.
#include <cstdlib>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include "mixed_program.hpp"
#include "random_machine.hpp"
#include "routers.hpp"
#include "sanitized.hpp"

namespace kbsim::hw::test::flights_test {
namespace {

using Shuffle = std::optional<std::uint64_t>;

// All that a link keeps account of, by link.
struct LinkUse {
  Time free{}, busy{}, waited{}, longest{};
  std::int64_t packets = 0;
  Bytes bytes;
  bool operator==(const LinkUse&) const = default;
};

struct Outcome {
  std::vector<Time> arrivals;  // of messages
  std::vector<LinkUse> links;
  std::uint64_t digest = 0;
  Time end{};
  std::uint64_t events = 0;

  [[nodiscard]] bool same(const Outcome& other) const {
    return arrivals == other.arrivals && links == other.links && digest == other.digest && end == other.end;
  }
};

std::vector<LinkUse> use_of_links(const Fabric& fabric) {
  std::vector<LinkUse> all;
  for (const LiveLink& link : fabric.links()) {
    all.push_back({.free = link.lane.free(),
                   .busy = link.lane.busy(),
                   .waited = link.lane.waited(),
                   .longest = link.lane.longest_queue(),
                   .packets = link.lane.packets(),
                   .bytes = link.lane.bytes()});
  }
  return all;
}

template <class Run>
Outcome outcome(const config::MachineSpec& spec, bool exact, Shuffle shuffle, Run run) {
  Rig rig{spec, {.shuffle_ties = shuffle}};
  if (exact) rig.machine->fabric().exact_packets();
  Outcome result{.arrivals = run(rig)};
  rig.machine->fabric().audit();
  result.links = use_of_links(rig.machine->fabric());
  result.digest = rig.machine->digest().value();
  result.end = rig.sim.now();
  result.events = rig.sim.events();
  return result;
}

// How many cases; more by hand: KBSIM_SEEDS=5000.
std::uint64_t seeds(unsigned few) {
  const char* const many = std::getenv("KBSIM_SEEDS");
  return many != nullptr ? std::strtoull(many, nullptr, 10) : kbsim::test::fewer(few);
}

// A run of `spec` with events, one without, and two without whose ties are shuffled.
template <class Run>
void check_same(const config::MachineSpec& spec, std::uint64_t seed, std::uint64_t& saved, Run run) {
  const Outcome exact = outcome(spec, true, {}, run);
  for (const Shuffle shuffle : {Shuffle{}, Shuffle{seed}, Shuffle{seed + 1}}) {
    const Outcome flown = outcome(spec, false, shuffle, run);
    REQUIRE(flown.same(exact));
    if (!shuffle && flown.events < exact.events) saved += exact.events - flown.events;
  }
}

config::MachineSpec machine_of(std::uint64_t seed, Random& random) {
  config::MachineSpec spec = random_machine(random);
  if (seed % 5 == 0) spec = simultaneous(std::move(spec));
  if (seed % 7 == 0) {
    spec.cube.noc.router.impl = "builtin.router_vc";
    spec.system.packet_bytes = 256_B;
  }
  return spec;
}

}  // namespace

TEST_CASE("Flights: messages that meet anywhere arrive as with an event for each packet at each hop") {
  std::uint64_t saved = 0;
  for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = with_sinks(machine_of(seed, random));
    std::vector<Flow> flows = random_flows(random, Rig{spec}, random.between(1, 150));
    const int spread = random.any_of({1, 1, 10, 100});
    for (Flow& flow : flows) {
      if (random.below(20) == 0) flow.size = Bytes{random.between(1, 400'000)};
      flow.at = flow.at * spread + random.below(spread) * 1_ns;
    }
    check_same(spec, seed, saved, [&](Rig& rig) { return deliver(rig, flows); });
  }
  CHECK(saved > 1000 * seeds(200));
}

TEST_CASE("Flights: kernels and hosts see the times that they see with an event for each packet and hop") {
  std::uint64_t saved = 0;
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    config::MachineSpec spec = machine_of(seed, random);
    spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{random.between(1, 16)};
    const int program = random.between(1, 1000);
    check_same(spec, seed, saved, [&](Rig& rig) {
      start_mixed_program(rig, program);
      rig.sim.run();
      return std::vector<Time>{};
    });
  }
  CHECK(saved > 1000 * seeds(40));
}

TEST_CASE("Flights: a message alone on its route has no events at the nodes that pass it on") {
  Rig rig{with_sinks(small_machine())};
  const Flow flow{.from = rig.graph.host(), .to = rig.hbm({0, 1, 1}), .size = 256_B};
  const auto events = [&](bool exact) {
    return outcome(*rig.spec, exact, {}, [&](Rig& one) { return deliver(one, {flow}); }).events;
  };
  const std::size_t passed = topology::find_route(rig.graph, flow.from, flow.to).size() - 1;
  CHECK(events(true) - events(false) >= passed - 1);
}

}  // namespace kbsim::hw::test::flights_test
