#pragma once

#include <vector>

#include "kbsim/topology/sip_network.hpp"

namespace kbsim::ccl {

/// A flow from one package to another, in units that the caller chooses.
struct PackageFlow {
  int from = 0;
  int to = 0;
  double units = 1;
};

/// Flows at the same time: units on the busiest link between packages, most units that one package sends or
/// receives, and packages from the start to the end of the longest route.
struct PackageLoad {
  double on_a_link = 0;
  double at_a_package = 0;
  int hops = 0;
};

/// The load of flows on the routes that the machine takes (topology::SipNetwork).
[[nodiscard]] PackageLoad load_of(const topology::SipNetwork& network, const std::vector<PackageFlow>& flows);

/// The load if each of these packages sends one unit to each other one. Its time grows with packages^2.
[[nodiscard]] PackageLoad load_of_all_pairs(const topology::SipNetwork& network, int packages);

}  // namespace kbsim::ccl
