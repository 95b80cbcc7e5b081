#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/hw/fabric/message_trace.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim::host {

/// One transfer between two given parts of the machine, alone or from several sources at once.
struct ProbeCase {
  std::string name;
  std::string doc;
};
[[nodiscard]] const std::vector<ProbeCase>& probe_cases();

/// Why a case can't run on a machine, e.g. "needs two packages"; none if it can.
[[nodiscard]] std::optional<std::string> missing_for(const std::string& name,
                                                     const config::MachineSpec& machine);

/// The most bytes that a case can move on a machine that has its parts. Limited by its memory and, if a PE
/// moves them, by the TCM for tiles.
[[nodiscard]] Bytes most_bytes(const std::string& name, const config::MachineSpec& machine);

/// A node on the route. Times since the start: when the head arrived, and when it left. At the last node it
/// leaves when the memory has the data, which ends the transfer.
struct ProbeHop {
  std::string node;
  Time arrive{};
  Time depart{};
};

struct ProbeFlow {
  Time start{};
  Time end{};
  std::vector<Time> issued;  // for a send: when the kernel had issued each of its tiles
  [[nodiscard]] Time took() const { return end - start; }
};

/// The times of a case. Split and slot_wait are of the first flow and sum to its took(). overhead: nodes'
/// delays and memories' access latencies; drain: the data over the bottleneck, and the control packets;
/// slot_wait: time in which the bottleneck was idle because a send had no slot.
struct ProbeResult {
  Bytes bytes;
  hw::Split split;
  Time slot_wait{};
  std::optional<double> crossbar_mm;  // from the crossbar of its cube to the HBM slice that a PE reads
  std::string bottleneck;             // a link or a memory's port
  Bandwidth bottleneck_rate;
  std::vector<ProbeHop> hops;    // of the first flow's request and the last packet of its data
  std::vector<ProbeFlow> flows;  // one per source

  [[nodiscard]] Time took() const { return flows.front().took(); }
  [[nodiscard]] double effective_gbs() const;
  [[nodiscard]] double utilization() const { return effective_gbs() / bottleneck_rate.gbs(); }
  /// Rate of all flows together, from the first start to the last end.
  [[nodiscard]] double total_gbs() const;
};

/// Runs a case on a machine of its own. UsageError for an unknown case, a machine without its parts, a size
/// below 1, or more sources than PEs in a cube.
[[nodiscard]] ProbeResult probe(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                                const std::string& name, Bytes bytes, int sources = 1,
                                const SimulationOptions& simulation = {});

}  // namespace kbsim::host
