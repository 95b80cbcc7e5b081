#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::ccl {

/// A PE that another can send to, and by which label.
struct Neighbour {
  std::string direction;
  PeCoord peer;
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

/// Who is whose neighbour: every PE with queues, its neighbours in the order of their labels' declaration.
using Wiring = std::map<PeCoord, std::vector<Neighbour>>;

/// A neighbour topology: makes the wiring of a machine among the PEs that take part.
struct Topology {
  std::string doc;
  std::function<Wiring(const config::MachineSpec&, const std::vector<PeCoord>& participants)> wire;
};
[[nodiscard]] Registry<Topology>& topologies();

/// Which PEs of a machine take part, in the order of their coordinates.
struct Mapper {
  std::string doc;
  std::function<std::vector<PeCoord>(const config::MachineSpec&)> participants;
};
[[nodiscard]] Registry<Mapper>& mappers();

/// The ranks in the order of a ring along the wires between packages: a closed walk over neighbours, where
/// system.sips has one; else, and in one dimension, by their numbers.
[[nodiscard]] std::vector<int> ring_of_ranks(const config::MachineSpec& machine);

/// E and W, N and S are opposites, global_ ones alike; "" for any other label.
[[nodiscard]] std::string opposite(const std::string& direction);

/// The label by which the peer answers what `from` sends along `to`: the opposite one if it points back,
/// else the labels that have no such opposite pair off in their order. So it is mutual: each ring has one
/// writer. UsageError if the peer has no label left that points back.
[[nodiscard]] std::string reverse_direction(const Wiring& wiring, PeCoord from, const Neighbour& to);

}  // namespace kbsim::ccl
