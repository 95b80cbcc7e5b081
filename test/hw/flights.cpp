// Packets that are told ahead when links serve them: as with an event for each packet at each hop.
#include <vector>

#include <doctest/doctest.h>

#include "ahead.hpp"
#include "mixed_program.hpp"
#include "random_machine.hpp"
#include "routers.hpp"

namespace kbsim::hw::test::flights_test {
namespace {

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
