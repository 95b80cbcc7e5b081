#pragma once

#include <string>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::evaluate::test {

/// Packages of two cubes of two PEs.
inline config::MachineSpec machine(int sips) {
  config::MachineSpec spec;
  spec.system.sips.count = sips;
  spec.sip.cube_mesh = {.w = 2, .h = 1};
  spec.cube.pe_layout = {.corners = {config::Corner::NW, config::Corner::SE}, .pe_per_corner = 1};
  return spec;
}

/// An algorithm over the leaders of packages in a ring.
inline config::AlgorithmSpec over_ring(config::Collective collective, const std::string& kernel) {
  config::AlgorithmSpec spec;
  spec.name = spec.kernel = kernel;
  spec.collective = collective;
  spec.topology = "ring_1d";
  return spec;
}

/// An all-reduce over the leaders of all cubes.
inline config::AlgorithmSpec intercube() {
  config::AlgorithmSpec spec;
  spec.name = spec.kernel = "intercube_allreduce";
  spec.topology = "cube_mesh";
  spec.mapper = "cube_leaders";
  return spec;
}

}  // namespace kbsim::evaluate::test
