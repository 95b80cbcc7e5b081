#include <doctest/doctest.h>

#include "kbsim/topology/route.hpp"

#include "idle.hpp"
#include "random_machine.hpp"
#include "reference.hpp"

namespace kbsim::hw::test::traffic_laws_test {
namespace {

NodeId any_source(Random& random, const Rig& rig) {
  const PeCoord at = random_pe(random, *rig.spec);
  const topology::CubeNodes& cube = rig.graph.cube(at.sip, at.cube);
  const topology::SipNodes& sip = rig.graph.sips()[static_cast<std::size_t>(at.sip)];
  return random.any_of({rig.pe(at).dma, rig.pe(at).tcm, cube.m_cpu, cube.sram, sip.io_cpu, rig.graph.host()});
}

// Many flows at few times: most of them meet.
std::vector<Flow> flows_at_random(Random& random, const Rig& rig, int n) {
  std::vector<Flow> flows;
  for (int i = 0; i < n; ++i)
    flows.push_back({.from = any_source(random, rig),
                     .to = rig.hbm(random_pe(random, *rig.spec)),
                     .size = Bytes{random.any_of({1, 64, 256, 1000, 4096})},
                     .at = random.below(4) * 10_ns});
  return flows;
}

}  // namespace

TEST_CASE("Fabric: agrees with the equations, worked out one by one, under random traffic") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    Rig rig{with_sinks(without_processors(varied_machine(random)))};
    const std::vector<Flow> flows = flows_at_random(random, rig, 150);
    CHECK(deliver(rig, flows) == reference_arrivals(rig.graph, flows));
  }
}

TEST_CASE("Fabric: bytes and busy time of each link are those of the packets routed over it") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    Rig rig{with_sinks(varied_machine(random))};
    const std::vector<Flow> flows = flows_at_random(random, rig, 100);
    (void)deliver(rig, flows);
    topology::Routes routes{rig.graph};
    std::vector<Bytes> bytes(rig.graph.links().size());
    std::vector<Time> busy(rig.graph.links().size());
    for (const Flow& flow : flows) {
      for (const LinkId id : routes(flow.from, flow.to, network_of(rig.graph, flow))) {
        bytes[id.value()] += flow.size;
        for (const Bytes packet : cut(rig.graph, flow.size))
          busy[id.value()] += service_time(rig.graph.link(id), packet);
      }
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      CHECK(rig.machine->fabric().links()[i].lane.bytes() == bytes[i]);
      CHECK(rig.machine->fabric().links()[i].lane.busy() == busy[i]);
    }
    CHECK_NOTHROW(rig.machine->fabric().audit());
  }
}

TEST_CASE("Fabric: alone, more bytes, less bandwidth or slower parts never arrive sooner") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const auto alone = [&](int change) {
      Random random{seed};
      config::MachineSpec spec = with_sinks(varied_machine(random));
      if (change == 1) spec.cube.noc.link = Bandwidth::gbs(spec.cube.noc.link.gbs() / 3);
      if (change == 2) spec.sip.ucie_link.bandwidth = Bandwidth::gbs(spec.sip.ucie_link.bandwidth.gbs() / 7);
      if (change == 3) spec.cube.noc.router.attrs["overhead_ns"] = 20.0;
      if (change == 4) spec.system.ns_per_mm = 1.0;
      Rig rig{spec};
      Flow flow = flows_at_random(random, rig, 1).front();
      if (change == 5) flow.size += 1_B;
      return deliver(rig, {flow}).front();
    };
    const Time plain = alone(0);
    for (int change = 1; change <= 5; ++change) CHECK(alone(change) >= plain);
  }
}

TEST_CASE("Fabric: more hops never arrive sooner") {
  config::MachineSpec spec = with_sinks(small_machine());
  spec.sip.cube_mesh = {.w = 6, .h = 1};
  Time nearer{};
  for (int cube = 0; cube < 6; ++cube) {
    Rig rig{spec};
    const Time here = deliver(rig, {{rig.pe({0, 0, 0}).dma, rig.hbm({0, cube, 0}), 4_KiB}}).front();
    CHECK(here > nearer);
    nearer = here;
  }
}

TEST_CASE("Fabric: mirrored traffic on a mirrored mesh arrives at the same times") {
  config::MachineSpec spec = with_sinks(small_machine());
  spec.sip.cube_mesh = {.w = 3, .h = 2};
  spec.cube.noc.w = spec.cube.noc.h = 3;  // odd, so that ports sit in the middle of their sides
  spec.cube.pe_layout = {.corners = {config::Corner::NW, config::Corner::NE}, .pe_per_corner = 1};
  const auto mirrored = [](PeCoord at) {
    return PeCoord{.sip = 0, .cube = at.cube / 3 * 3 + 2 - at.cube % 3, .pe = 1 - at.pe};
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    Rig left{spec};
    Rig right{spec};
    std::vector<Flow> flows;
    std::vector<Flow> mirror;
    for (int i = 0; i < 100; ++i) {
      const PeCoord from = random_pe(random, spec);
      const PeCoord to = random_pe(random, spec);
      const Bytes size{random.between(1, 4096)};
      const Time at{random.below(400'000)};  // a picosecond of its own for nearly each: no ties by port
      flows.push_back({left.pe(from).dma, left.hbm(to), size, at});
      mirror.push_back({right.pe(mirrored(from)).dma, right.hbm(mirrored(to)), size, at});
    }
    CHECK(deliver(left, flows) == deliver(right, mirror));
  }
}

}  // namespace kbsim::hw::test::traffic_laws_test
