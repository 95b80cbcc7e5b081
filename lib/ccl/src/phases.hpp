#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kbsim/config/machine_spec.hpp"

#include "package_load.hpp"

namespace kbsim::ccl {

/// A phase of an algorithm, whose flows share the links between packages. Units are a rank's bytes of input.
struct Phase {
  PackageLoad load;
  int steps = 1;  // messages one after the other, each over the load's hops
  int peers = 1;  // other ranks to which a rank sends in a step
};

/// The phases of an algorithm on the packages as they are joined, one after the other; nothing for a kernel
/// that has no such description (docs/reference/collectives.md has the bytes on rings and lines).
[[nodiscard]] std::optional<std::vector<Phase>> phases_of(std::string_view kernel,
                                                          const config::MachineSpec& machine);

}  // namespace kbsim::ccl
