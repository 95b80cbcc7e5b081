#pragma once

#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::ccl {

/// Whether the ranks of an algorithm are PEs: it has a world_size. Without one each package is a rank.
[[nodiscard]] bool ranks_are_pes(const config::AlgorithmSpec& algorithm);

/// The number of ranks.
[[nodiscard]] int ranks_of(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine);

/// The PE of a flat number: PE 0 of cube 0 of package 0, the cube's other PEs, the package's other cubes, ...
[[nodiscard]] PeCoord flat_pe(const config::MachineSpec& machine, int rank);

/// A machine with a package of one PE for each rank, joined in a row. Topologies wire it where ranks aren't
/// packages.
[[nodiscard]] config::MachineSpec machine_of_ranks(const config::MachineSpec& machine, int ranks);

/// The wiring of a topology among ranks, at the ranks' PEs.
[[nodiscard]] Wiring wire_at(const Topology& topology, const config::MachineSpec& machine,
                             const std::vector<PeCoord>& of_ranks);

/// The queues that an algorithm uses of a topology's wiring: all, or those that pair (`unpaired: skip`).
[[nodiscard]] Wiring queues_of(const config::AlgorithmSpec& algorithm, Wiring wiring);

/// The PEs that take part, and their wiring. If ranks are PEs: UsageError unless the PEs exist, fill whole
/// cubes (packages) when they span several, and the mapper is leader_only.
[[nodiscard]] std::vector<PeCoord> participants_of(const config::AlgorithmSpec& algorithm,
                                                   const config::MachineSpec& machine);
[[nodiscard]] Wiring wiring_of(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine);

}  // namespace kbsim::ccl
