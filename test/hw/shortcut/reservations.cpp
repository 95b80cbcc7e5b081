// Packets that are reserved ahead on their links behave as with an event for each packet at each hop.
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "../ahead.hpp"
#include "../mixed_program.hpp"
#include "../random_machine.hpp"
#include "../routers.hpp"
#include "../wires.hpp"

namespace kbsim::hw::test::reservations_test {
namespace {

config::MachineSpec machine_of(std::uint64_t seed, Random& random) {
  config::MachineSpec spec = varied_machine(random);
  if (seed % 5 == 0) spec = simultaneous(std::move(spec));
  if (seed % 7 == 0) {
    spec.cube.noc.router.impl = "builtin.router_vc";
    spec.system.packet_bytes = 256_B;
  }
  return spec;
}

std::vector<Flow> flows_of(const config::MachineSpec& spec, Random& random) {
  std::vector<Flow> flows = random_flows(random, Rig{spec}, random.between(1, 150));
  const int spread = random.any_of({1, 1, 10, 100});
  for (Flow& flow : flows) {
    if (random.below(20) == 0) flow.size = Bytes{random.between(1, 400'000)};
    flow.at = flow.at * spread + random.below(spread) * 1_ns;
  }
  return flows;
}

// Packages of one small cube each; all links and the SRAM have one rate.
config::MachineSpec ring_of_packages(Bandwidth rate) {
  config::MachineSpec spec = small_machine();
  spec.system.packet_bytes = 256_B;
  spec.system.sips.count = 4;
  spec.system.sips.topology = config::SipTopology::ring_1d;
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.cube.sram.attrs["bw_gbs"] = rate.gbs();
  for (Bandwidth* link : {&spec.cube.noc.link, &spec.cube.xbar_to_hbm, &spec.pe.link}) *link = rate;
  for_each_wire(spec, [rate](auto& wire) { wire = {.bandwidth = rate, .length_mm = 1.0}; });
  return spec;
}

}  // namespace

TEST_CASE("Reservations: messages that meet anywhere arrive as with an event for each packet at each hop") {
  std::uint64_t saved = 0;
  for (std::uint64_t seed = first_seed(); seed <= seeds(200); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = with_sinks(machine_of(seed, random));
    const std::vector<Flow> flows = flows_of(spec, random);
    check_random(spec, seed, saved, [&](Rig& rig) { return deliver(rig, flows); });
  }
  CHECK(saved > 1000 * (seeds(200) + 1 - first_seed()));
}

TEST_CASE("Reservations: messages cross between a train's packets where links are shadowed no longer") {
  constexpr std::uint64_t kFound = 5700043;
  std::uint64_t saved = 0;
  Random random{kFound};
  const config::MachineSpec spec = with_sinks(machine_of(kFound, random));
  const std::vector<Flow> flows = flows_of(spec, random);
  check_same(in_step(spec), kFound, saved, [&](Rig& rig) { return deliver(rig, flows); });
}

TEST_CASE("Reservations: messages cross shadowed links on both sides of packets that arrive by events") {
  constexpr std::array<std::uint64_t, 3> kFound{18, 700398, 900082};  // each has found a fault
  std::uint64_t saved = 0;
  for (const std::uint64_t seed : kFound) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = with_sinks(machine_of(seed, random));
    const std::vector<Flow> flows = flows_of(spec, random);
    check_same(spec, seed, saved, [&](Rig& rig) { return deliver(rig, flows); });
  }
}

TEST_CASE("Reservations: a link is shadowed until a message arrives by a third one") {
  const config::MachineSpec spec = with_sinks(small_machine());
  const Rig rig{spec};
  const NodeId target = rig.hbm({0, 1, 1});
  for (int late = 0; late < 60; ++late) {
    const std::vector<Flow> flows{
        {.from = rig.graph.host(), .to = target, .size = 20'000_B},
        {.from = rig.hbm({0, 0, 0}), .to = target, .size = 3'000_B, .at = late * 2_ns},
        {.from = rig.hbm({0, 0, 1}), .to = target, .size = 300_B, .at = late * 3_ns}};
    std::uint64_t saved = 0;
    check_same(spec, 1 + static_cast<std::uint64_t>(late), saved,
               [&](Rig& one) { return deliver(one, flows); });
    CHECK(saved > 0);
  }
}

TEST_CASE(
    "Reservations: kernels and hosts see the times that they see with an event for each packet and hop") {
  std::uint64_t saved = 0;
  for (std::uint64_t seed = first_seed(); seed <= seeds(40); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    config::MachineSpec spec = machine_of(seed, random);
    spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{random.between(1, 16)};
    const int program = random.between(1, 1000);
    check_random(spec, seed, saved, [&](Rig& rig) {
      start_mixed_program(rig, program);
      rig.sim.run();
      return std::vector<Time>{};
    });
  }
  CHECK(saved > 1000 * (seeds(40) + 1 - first_seed()));
}

TEST_CASE("Reservations: a message alone on its route has no events at the nodes that pass it on") {
  Rig rig{with_sinks(small_machine())};
  const Flow flow{.from = rig.graph.host(), .to = rig.hbm({0, 1, 1}), .size = 256_B};
  const auto events = [&](bool exact) {
    return outcome(*rig.spec, exact, {}, [&](Rig& one) { return deliver(one, {flow}); }).events;
  };
  const std::size_t passed = topology::find_route(rig.graph, flow.from, flow.to).size() - 1;
  CHECK(events(true) - events(false) >= passed - 1);
}

TEST_CASE("Reservations: a packet that arrives before reserved ones, and is gone by then, revokes none") {
  const config::MachineSpec spec = with_sinks(small_machine());
  const Rig rig{spec};
  const Flow far{.from = rig.graph.host(), .to = rig.hbm({0, 1, 1}), .size = 256_B};
  const Flow near{.from = rig.hbm({0, 1, 0}), .to = rig.hbm({0, 1, 1}), .size = 16_B, .at = 1_ns};
  const auto run = [&](const std::vector<Flow>& flows) {
    return outcome(spec, false, {}, [&](Rig& on) { return deliver(on, flows); });
  };
  Flow later = near;
  later.at = 1000_ns;
  const Outcome both = run({far, near});
  CHECK(run({near}).end < run({far}).end);
  CHECK(both.end == run({far}).end);
  CHECK(both.events == run({far, later}).events);
}

TEST_CASE("Reservations: a long message that another crosses is reserved again after that one") {
  config::MachineSpec spec = small_machine();
  spec.system.packet_bytes = 256_B;
  spec = with_sinks(std::move(spec));
  const Rig rig{spec};
  const Flow far{.from = rig.graph.host(), .to = rig.hbm({0, 1, 1}), .size = 64_KiB};
  const Flow near{.from = rig.hbm({0, 0, 0}), .to = rig.hbm({0, 1, 1}), .size = 256_B};
  const auto run = [&](const std::vector<Flow>& flows, bool exact) {
    return outcome(spec, exact, {}, [&](Rig& on) { return deliver(on, flows); });
  };
  const std::uint64_t alone = run({far}, false).events;
  for (int at = 100; at < 2000; at += 100) {
    CAPTURE(at);
    Flow crossing = near;
    crossing.at = at * 1_ns;
    const Outcome both = run({far, crossing}, false);
    CHECK(both.events < alone + 10);
    CHECK(both.same(run({far, crossing}, true)));
  }
}

// Four long messages on a ring of four packages go two packages on each. Each is reserved after the one
// before, the first after the last: a packet that arrives before one of them revokes all.
TEST_CASE("Reservations: long messages that are reserved after each other round a ring are revoked once") {
  const config::MachineSpec spec = with_sinks(ring_of_packages(Bandwidth::gbs(64)));
  const Rig rig{spec};
  constexpr int kPackages = 4;
  constexpr int kPackets = 100;
  const Bytes packet = spec.system.packet_bytes;
  std::vector<Flow> flows;
  for (int i = 0; i < kPackages; ++i) {
    const NodeId from = rig.graph.cube(i, 0).sram;
    const Time at = i * 1_ns;
    const Bytes before = packet * (i * (kPackets + 25));
    if (i > 0) flows.push_back({.from = from, .to = rig.hbm({i, 0, 0}), .size = before, .at = at});
    const NodeId to = rig.hbm({(i + 2) % kPackages, 0, 1});
    flows.push_back({.from = from, .to = to, .size = packet * kPackets, .at = at});
  }
  const Flow crossing{.from = rig.graph.cube(3, 0).m_cpu, .to = rig.hbm({1, 0, 0}), .size = packet};
  for (int at = 20; at < 700; at += 20) {
    CAPTURE(at);
    std::vector<Flow> all = flows;
    all.push_back(crossing);
    all.back().at = at * 1_ns;
    const auto run = [&](bool exact) {
      return outcome(spec, exact, {}, [&](Rig& on) { return deliver(on, all); });
    };
    CHECK(run(false).same(run(true)));
  }
}

}  // namespace kbsim::hw::test::reservations_test
