#pragma once

#include "kbsim/topology/traffic_network.hpp"

namespace kbsim::topology {

/// The machine with an endpoint at the router of each PE of a cube, on this network of it.
[[nodiscard]] TrafficNetwork pe_endpoints(Graph machine, int sip, int cube, int network,
                                          const EndpointRates& rates);
/// The machine with an endpoint at the router of the M_CPU of each cube of a package: the middle one, unless
/// the floor plan says another.
[[nodiscard]] TrafficNetwork cube_endpoints(Graph machine, int sip, const EndpointRates& rates);
/// The machine with an endpoint at the first router of each package's IO NOC.
[[nodiscard]] TrafficNetwork sip_endpoints(Graph machine, const EndpointRates& rates);

}  // namespace kbsim::topology
