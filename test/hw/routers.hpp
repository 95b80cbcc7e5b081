#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness.hpp"
#include "random_machine.hpp"
#include "sink.hpp"

namespace kbsim::hw::test {

/// `spec` with this model for all routers, attributes added to those that are there.
[[nodiscard]] config::MachineSpec with_routers(config::MachineSpec spec, const std::string& impl,
                                               const std::map<std::string, Scalar>& attrs = {});

/// From any kind of source to any slice of a machine with sinks, within its first 30 ns.
[[nodiscard]] Flow random_flow(Random& random, const Rig& rig);
[[nodiscard]] std::vector<Flow> random_flows(Random& random, const Rig& rig, int n);

/// A machine with routers of some model, whose attributes may be drawn.
using WithRouters = std::function<config::MachineSpec(Random& random, const config::MachineSpec& spec)>;

/// Checks routers with buffers on random machines under load. All packets arrive, never sooner than alone
/// among output-queued routers, and no credit is lost.
void check_under_load(const WithRouters& with_routers);
/// Checks that no order of ties changes an arrival.
void check_ties(const WithRouters& with_routers);

}  // namespace kbsim::hw::test
