#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/side.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::topology {

/// A package's end of a wire to another package.
struct SipPort {
  std::string name;            // "e" of port_e
  int peer = 0;                // package at the other end
  std::size_t peer_port = 0;   // and its port there
  bool at_last_router = true;  // of the IO NOC; else at the first
  bool begins = true;  // the wire's first end: it is made from here, and a unidirectional link starts here
  int listed = -1;     // number of the wire in `system.sips.links`, if it stands there
};

/// The wires between packages: a grid's, those of a neighbour topology of ranks, numbered as the packages, or
/// those that the file lists. Its members are the packages and then the switches that the list names.
class SipNetwork {
 public:
  explicit SipNetwork(const config::SipsSpec& spec);

  /// The grid of the packages; without a grid topology, one row.
  [[nodiscard]] const SipGrid& grid() const { return grid_; }
  [[nodiscard]] const std::vector<SipPort>& ports(int member) const {
    return ports_[static_cast<std::size_t>(member)];
  }
  [[nodiscard]] int members() const { return static_cast<int>(ports_.size()); }
  /// Names of the switches, in the order in which the list has them first.
  [[nodiscard]] const std::vector<std::string>& switches() const { return switches_; }
  [[nodiscard]] bool is_switch(int member) const { return member >= count_; }
  [[nodiscard]] std::size_t switch_number(int member) const {
    return static_cast<std::size_t>(member - count_);
  }
  /// The wire at a port.
  [[nodiscard]] static const config::ChipLinkSpec& wire(const config::SipsSpec& spec, const SipPort& port) {
    return port.listed < 0 ? spec.link : spec.links[static_cast<std::size_t>(port.listed)];
  }
  /// Whether wires lead from their first ends only.
  [[nodiscard]] bool one_way() const { return topology_ == config::SipTopology::ring_1d_unidir; }

  /// The port by which a message leaves a member on its route to a package: as SipGrid::next_side(), or to
  /// the neighbour nearest to `to`, the first of several. InternalError if `from` is `to`.
  [[nodiscard]] std::size_t next_port(int from, int to, DimensionOrder order = DimensionOrder::xy) const;
  /// Wires on the route from a package to another one, and the most that any two need.
  [[nodiscard]] int wires(int from, int to) const;
  [[nodiscard]] int diameter() const;

 private:
  void take_list(const config::SipsSpec& spec);
  [[nodiscard]] int distance(int from, int to) const;

  config::SipTopology topology_;
  int count_;
  SipGrid grid_;
  std::vector<std::vector<SipPort>> ports_;  // by member
  std::vector<std::string> switches_;
  std::vector<std::vector<int>> hops_;  // of listed wires, by members
};

}  // namespace kbsim::topology
