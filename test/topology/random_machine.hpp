#pragma once

#include <memory>
#include <random>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::test {

/// A small machine of any shape; equal seeds give equal machines.
inline config::MachineSpec any_machine(unsigned seed) {
  std::mt19937 random{seed};
  const auto up_to = [&](int n) { return 1 + static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto rate = [&] { return Bandwidth::gbs(32.0 * up_to(16)); };
  config::MachineSpec spec;
  spec.system.sips.topology =
      std::array{config::SipTopology::ring_1d, config::SipTopology::torus_2d, config::SipTopology::mesh_2d,
                 config::SipTopology::mesh_2d_no_wrap}[random() % 4];
  spec.system.sips.count = up_to(6);
  spec.system.sips.link = {.bandwidth = rate(), .length_mm = 10.0 * up_to(20)};
  spec.sip.cube_mesh = {.w = up_to(3), .h = up_to(3)};
  spec.sip.ucie_link = {.bandwidth = rate(), .length_mm = 1.0 * up_to(3)};
  spec.cube.noc.w = up_to(4);
  spec.cube.noc.h = up_to(4);
  spec.cube.noc.link = rate();
  const std::vector<config::Corner> corners = config::PeLayoutSpec{}.corners;
  const auto first = static_cast<std::ptrdiff_t>(random() % 4);
  spec.cube.pe_layout.corners.assign(corners.begin() + first, corners.end());
  spec.cube.pe_layout.pe_per_corner = up_to(2);
  return spec;
}

inline topology::Graph compiled(config::MachineSpec spec) {
  return topology::compile(std::make_shared<const config::MachineSpec>(std::move(spec)));
}

}  // namespace kbsim::test
