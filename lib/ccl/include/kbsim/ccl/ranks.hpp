#pragma once

#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::ccl {

/// Whether the ranks of an algorithm are PEs: it has a world_size. Without one each package is a rank.
[[nodiscard]] bool ranks_are_pes(const config::AlgorithmSpec& algorithm);

/// How many ranks there are.
[[nodiscard]] int ranks_of(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine);

/// The PE of a flat number: PE 0 of cube 0 of package 0, the cube's other PEs, the package's other cubes, ...
[[nodiscard]] PeCoord flat_pe(const config::MachineSpec& machine, int rank);

/// A machine that has a package of one PE for each rank, joined in a row: what topologies are asked to wire
/// where ranks aren't packages.
[[nodiscard]] config::MachineSpec machine_of_ranks(const config::MachineSpec& machine, int ranks);

/// The wiring of a topology among so many ranks, at the places of the ranks.
[[nodiscard]] Wiring wire_at(const Topology& topology, const config::MachineSpec& machine,
                             const std::vector<PeCoord>& of_ranks);

/// The queues that an algorithm has of a topology's wiring: all, or those that pair (`unpaired: skip`).
[[nodiscard]] Wiring queues_of(const config::AlgorithmSpec& algorithm, Wiring wiring);

/// Which PEs take part, and who is whose neighbour. UsageError for PEs as ranks that aren't there, don't fill
/// whole cubes or packages where they are of several, or whose algorithm's mapper isn't leader_only.
[[nodiscard]] std::vector<PeCoord> participants_of(const config::AlgorithmSpec& algorithm,
                                                   const config::MachineSpec& machine);
[[nodiscard]] Wiring wiring_of(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine);

}  // namespace kbsim::ccl
