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

/// Why a case can't be had on a machine, e.g. "needs two packages"; nothing if it can.
[[nodiscard]] std::optional<std::string> missing_for(const std::string& name,
                                                     const config::MachineSpec& machine);

/// How many bytes a case can move on a machine that has the parts for it: as many as its memory and, of a
/// PE's case, the TCM that tiles may take have room for.
[[nodiscard]] Bytes most_bytes(const std::string& name, const config::MachineSpec& machine);

/// A node on the way, in time since the start: when the head came, and when it left.
struct ProbeHop {
  std::string node;
  Time arrive{};
  Time depart{};
};

struct ProbeFlow {
  Time start{};
  Time end{};
  std::vector<Time> issued;  // of a send: when the kernel had issued each of its tiles
  [[nodiscard]] Time took() const { return end - start; }
};

/// What a case took. Split and slot_wait are of the first flow and sum to what it took: overhead has the
/// nodes' delays and the memories' access latencies, drain the bytes over the bottleneck and the control
/// packet's; slot_wait is the time in which the bottleneck was idle because a send had no slot.
struct ProbeResult {
  Bytes bytes;
  hw::Split split;
  Time slot_wait{};
  std::optional<double> crossbar_mm;  // from the crossbar of its cube to the HBM slice that a PE reads
  std::string bottleneck;             // a link or a memory's port
  Bandwidth bottleneck_rate;
  std::vector<ProbeHop> hops;    // of the first flow's request and the last packet of its data
  std::vector<ProbeFlow> flows;  // one a source

  [[nodiscard]] Time took() const { return flows.front().took(); }
  [[nodiscard]] double effective_gbs() const;
  [[nodiscard]] double utilization() const { return effective_gbs() / bottleneck_rate.gbs(); }
  /// Of all flows together, from the first start to the last end.
  [[nodiscard]] double total_gbs() const;
};

/// Runs a case on a machine of its own. UsageError for an unknown case, one that the machine lacks parts
/// for, a size below 1, or more sources than PEs in a cube.
[[nodiscard]] ProbeResult probe(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                                const std::string& name, Bytes bytes, int sources = 1,
                                const SimulationOptions& simulation = {});

}  // namespace kbsim::host
