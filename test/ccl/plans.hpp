#pragma once

#include <string>
#include <vector>

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::ccl {

/// A machine of `sips` packages in a ring, with cubes in a mesh of w by h.
inline config::MachineSpec machine(int sips, int w = 1, int h = 1) {
  config::MachineSpec spec;
  spec.system.sips.count = sips;
  spec.sip.cube_mesh = {.w = w, .h = h};
  return spec;
}

inline config::AlgorithmSpec algorithm(const std::string& topology = "cube_mesh",
                                       const std::string& mapper = "cube_leaders") {
  config::AlgorithmSpec spec;
  spec.name = "test";
  spec.topology = topology;
  spec.mapper = mapper;
  return spec;
}

inline std::vector<InstallPlan> plans_of(const config::AlgorithmSpec& algorithm,
                                         const config::MachineSpec& machine) {
  topology::MachineAllocators allocators{machine};
  return build_install_plans(algorithm, machine, allocators);
}

/// All PEs of all plans.
inline std::vector<PePlan> pes_of(const std::vector<InstallPlan>& plans) {
  std::vector<PePlan> all;
  for (const InstallPlan& plan : plans) all.insert(all.end(), plan.pes.begin(), plan.pes.end());
  return all;
}

/// The machines of the properties: 1, 2, 3 and 8 packages of square and other meshes, rings and grids.
inline std::vector<config::MachineSpec> machines() {
  std::vector<config::MachineSpec> all;
  for (const int sips : {1, 2, 3, 8}) {
    for (const config::ExtentSpec mesh : {config::ExtentSpec{1, 1}, {3, 2}, {4, 4}, {5, 3}}) {
      for (const config::SipTopology joined : {config::SipTopology::ring_1d, config::SipTopology::torus_2d,
                                               config::SipTopology::mesh_2d_no_wrap}) {
        all.push_back(machine(sips, mesh.w, mesh.h));
        all.back().system.sips.topology = joined;
      }
    }
  }
  return all;
}

}  // namespace kbsim::ccl
