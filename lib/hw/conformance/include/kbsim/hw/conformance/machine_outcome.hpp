#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbsim/hw/fabric/unit_use.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_dma.hpp"

namespace kbsim::hw {

/// All statistics of a link.
struct LinkUse {
  Time free{}, busy{}, waited{}, longest{};
  std::int64_t packets = 0;
  Bytes bytes;
  bool operator==(const LinkUse&) const = default;
};

[[nodiscard]] std::vector<LinkUse> use_of(const std::vector<LiveLink>& links);

/// All that a finished run shows of its machine: two runs that agree in this are the same to their users.
/// `events` isn't compared: it is what a shortcut saves.
struct MachineOutcome {
  Time end{};
  std::uint64_t digest = 0;  // of the op log and the links
  Attribution times;         // of messages
  std::vector<LinkUse> links;
  std::vector<UnitUse> units;
  std::vector<DmaUse> dmas;
  std::uint64_t events = 0;
};

/// The outcome of a run that has ended, after its audit (Fabric::audit()).
[[nodiscard]] MachineOutcome outcome_of(Machine& machine);

/// The first thing by which they differ: "link sip0.cube0.r0>r1: waited 3 ns, 4 ns"; empty if there is none.
[[nodiscard]] std::string difference(const MachineOutcome& a, const MachineOutcome& b,
                                     const topology::Graph& graph);

}  // namespace kbsim::hw
