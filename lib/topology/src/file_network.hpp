#pragma once

#include "kbsim/config/net_spec.hpp"

#include "bare_network.hpp"

namespace kbsim::topology {

/// The network of a file, with the NOC's routers: an endpoint at each node that has one. A grid with xy or yx
/// is the same graph as a bare grid.
[[nodiscard]] TrafficNetwork file_network(const SharedSpec& spec, const config::Net& net,
                                          const EndpointRates& rates);

}  // namespace kbsim::topology
