#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/hw/machine.hpp"

namespace kbsim::hw {

/// Drives a fresh machine: spawns what it is to do, and returns when Machine::run() has. Returns times that
/// the program itself has seen.
using MachineProgram = std::function<std::vector<Time>(Machine& machine)>;

/// The conformance suite of models that promise something (ServiceContract). Runs the program with an event
/// for each packet at each hop, then with the shortcut, then with the shortcut and two shuffles of ties. All
/// times, statistics and the op log must be equal. InternalError names the first difference. Returns the
/// number of events that the shortcut has saved: 0 means that the program gave it nothing to do.
std::uint64_t check_conformance(std::shared_ptr<const config::MachineSpec> spec,
                                const MachineProgram& program, std::uint64_t seed = 1);

}  // namespace kbsim::hw
