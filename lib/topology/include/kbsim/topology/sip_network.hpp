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
};

/// The wires between packages: a grid's, or those of a neighbour topology of ranks, numbered as the packages.
class SipNetwork {
 public:
  explicit SipNetwork(const config::SipsSpec& spec);

  /// The grid of the packages; without a grid topology, one row.
  [[nodiscard]] const SipGrid& grid() const { return grid_; }
  [[nodiscard]] const std::vector<SipPort>& ports(int sip) const {
    return ports_[static_cast<std::size_t>(sip)];
  }
  /// Whether wires lead from their first ends only.
  [[nodiscard]] bool one_way() const { return topology_ == config::SipTopology::ring_1d_unidir; }

  /// The port by which a message leaves `from` on its route to `to`: as SipGrid::next_side(), or to the
  /// neighbour nearest to `to`, the first of several. InternalError if `from` is `to`.
  [[nodiscard]] std::size_t next_port(int from, int to, DimensionOrder order = DimensionOrder::xy) const;

 private:
  [[nodiscard]] int distance(int from, int to) const;

  config::SipTopology topology_;
  int count_;
  SipGrid grid_;
  std::vector<std::vector<SipPort>> ports_;  // by package
};

}  // namespace kbsim::topology
