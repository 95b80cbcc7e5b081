#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/sip_network.hpp"

namespace kbsim::ccl {

/// A flow from one package to another, in units that the caller chooses.
struct PackageFlow {
  int from = 0;
  int to = 0;
  double units = 1;
};

/// Flows at the same time: units on the busiest link, most units that one package sends or receives, and
/// links of the longest route. A slower link than `link` of the machine counts as more units.
struct PackageLoad {
  double on_a_link = 0;
  double at_a_package = 0;
  int hops = 0;
};

/// The load of flows between packages on the routes that the machine takes (topology::SipNetwork).
class PackageNetwork {
 public:
  explicit PackageNetwork(const config::SipsSpec& spec) : spec_{spec}, network_{spec} {}

  [[nodiscard]] PackageLoad load_of(const std::vector<PackageFlow>& flows) const;
  /// Each package sends one unit to each other one. Takes time in the order of packages^2.
  [[nodiscard]] PackageLoad load_of_all_pairs() const;

 private:
  // Units by a member of the network and its port.
  using OnLinks = std::map<std::pair<int, std::size_t>, double>;

  [[nodiscard]] double most(const OnLinks& on_links) const;
  [[nodiscard]] int next(int from, std::size_t port) const { return network_.ports(from)[port].peer; }
  // Hops of each member's route to a package.
  [[nodiscard]] std::vector<int> hops_to(int goal) const;

  const config::SipsSpec& spec_;
  topology::SipNetwork network_;
};

}  // namespace kbsim::ccl
