#include "routers.hpp"

#include <doctest/doctest.h>

namespace kbsim::hw::test {

config::MachineSpec with_routers(config::MachineSpec spec, const std::string& impl,
                                 const std::map<std::string, Scalar>& attrs) {
  for (ComponentSpec* router : {&spec.cube.noc.router, &spec.sip.io.router}) {
    router->impl = impl;
    for (const auto& [name, value] : attrs) router->attrs[name] = value;
  }
  return spec;
}

Flow random_flow(Random& random, const Rig& rig) {
  const PeCoord at = random_pe(random, *rig.spec);
  const topology::CubeNodes& cube = rig.graph.cube(at.sip, at.cube);
  const NodeId from =
      random.any_of({rig.pe(at).dma, rig.pe(at).tcm, cube.m_cpu, cube.sram, rig.graph.host()});
  return {.from = from,
          .to = rig.hbm(random_pe(random, *rig.spec)),
          .size = Bytes{random.any_of({1, 64, 256, 1000, 4096})},
          .at = random.below(4) * 10_ns};
}

std::vector<Flow> random_flows(Random& random, const Rig& rig, int n) {
  std::vector<Flow> flows;
  for (int i = 0; i < n; ++i) flows.push_back(random_flow(random, rig));
  return flows;
}

void check_under_load(const WithRouters& with_routers) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = without_ports(with_sinks(varied_machine(random)));
    Rig queued{with_routers(random, spec)};
    const std::vector<Flow> flows = random_flows(random, queued, 150);
    const std::vector<Time> arrivals = deliver(queued, flows);
    CHECK_NOTHROW(queued.machine->fabric().audit());
    for (std::size_t i = 0; i < flows.size(); i += 10) {
      Rig alone{spec};
      CHECK(arrivals[i] >= deliver(alone, {flows[i]}).front());
    }
  }
}

void check_ties(const WithRouters& with_routers) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = with_routers(random, without_ports(with_sinks(varied_machine(random))));
    Rig first{spec};
    const std::vector<Flow> flows = random_flows(random, first, 150);
    const std::vector<Time> arrivals = deliver(first, flows);
    for (const std::uint64_t ties : {1, 2, 3}) {
      Rig again{spec, {.shuffle_ties = ties}};
      CHECK(deliver(again, flows) == arrivals);
      CHECK(again.machine->digest().value() == first.machine->digest().value());
    }
  }
}

}  // namespace kbsim::hw::test
