#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kbsim/base/registry.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::ccl {

/// Whether an algorithm can run on a tensor placed like this: "" if so, else what it would need.
struct Validator {
  std::string doc;
  std::function<std::string(const std::vector<topology::ShardSpec>&, const std::vector<PeCoord>& participants,
                            const config::MachineSpec&)>
      check;
};
[[nodiscard]] Registry<Validator>& validators();

}  // namespace kbsim::ccl
