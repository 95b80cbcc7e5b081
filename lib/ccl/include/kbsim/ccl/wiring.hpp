#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/flow.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::ccl {

/// A PE at the other end of a queue, the queue's label, and the direction of its tiles.
struct Neighbour {
  std::string direction;
  PeCoord peer;
  Flow flow = Flow::both;
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

/// Every PE with queues, with its neighbours in the order in which the topology declares them.
using Wiring = std::map<PeCoord, std::vector<Neighbour>>;

/// A neighbour topology: makes the wiring of a machine among the PEs that take part.
struct Topology {
  std::string doc;
  std::function<Wiring(const config::MachineSpec&, const std::vector<PeCoord>& participants)> wire;
  [[nodiscard]] bool has_function() const { return wire != nullptr; }
};
[[nodiscard]] Registry<Topology>& topologies();

/// Always true. `abi` is KBSIM_ABI as the topology's file saw it.
bool register_topology(std::string name, Topology topology, const char& abi) noexcept;

/// Makes `Wiring name(const config::MachineSpec&, const std::vector<PeCoord>& participants)` known by its
/// name, in its own file.
#define KBSIM_TOPOLOGY(name, text)       \
  static const bool kRegistered_##name = \
      ::kbsim::ccl::register_topology(#name, {.doc = text, .wire = name}, KBSIM_ABI)

/// A neighbour of a rank, and the queue's label.
struct RankNeighbour {
  std::string direction;
  int rank;
  Flow flow = Flow::both;
};

/// The wiring in which a PE's neighbours are the same PE of the same cube on the packages of its rank's
/// neighbours, if they take part.
[[nodiscard]] Wiring wire_ranks(const std::vector<PeCoord>& participants,
                                const std::function<std::vector<RankNeighbour>(int rank)>& neighbours);

[[nodiscard]] std::vector<int> ranks_by_number(const config::MachineSpec& machine);
/// The ranks in the order of a ring along the wires between packages: a closed walk over neighbours if
/// system.sips has one; else, and in one dimension, by number.
[[nodiscard]] std::vector<int> ring_of_ranks(const config::MachineSpec& machine);

/// The ranks in the order of an open line along the wires: the rows of a grid of packages to and fro; else by
/// number.
[[nodiscard]] std::vector<int> line_of_ranks(const config::MachineSpec& machine);

/// E and W, N and S are opposites, global_ ones alike; "" for any other label.
[[nodiscard]] std::string opposite(const std::string& direction);

/// The peer's label for the queue that `from` calls `to`: the opposite label if it leads back; labels without
/// such an opposite pair off in their order. This is mutual, so each ring has one writer. If one end only
/// sends, the other only receives. UsageError if the peer has no label left that leads back.
[[nodiscard]] std::string reverse_direction(const Wiring& wiring, PeCoord from, const Neighbour& to);

/// The wiring without the neighbours that have no label left that leads back. A send to such a neighbour is
/// an error: there is no such queue.
[[nodiscard]] Wiring without_one_way(Wiring wiring);

}  // namespace kbsim::ccl
