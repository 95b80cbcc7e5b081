#include "routers.hpp"

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

}  // namespace kbsim::hw::test
