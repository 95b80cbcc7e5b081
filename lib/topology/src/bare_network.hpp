#pragma once

#include <memory>

#include "kbsim/topology/traffic_network.hpp"

namespace kbsim::topology {

using SharedSpec = std::shared_ptr<const config::MachineSpec>;

enum class BareShape { mesh, torus, ring };

/// Routers on a grid at the NOC's pitch, an endpoint at each; dimension order, the shorter direction around.
[[nodiscard]] TrafficNetwork bare_grid(const SharedSpec& spec, BareShape shape, int w, int h,
                                       const EndpointRates& rates);

/// A source, one link of the NOC, a sink.
[[nodiscard]] TrafficNetwork bare_link(const SharedSpec& spec);

}  // namespace kbsim::topology
