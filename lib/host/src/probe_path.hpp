#pragma once

#include <cstddef>
#include <vector>

#include "kbsim/hw/fabric/noc_number.hpp"
#include "kbsim/hw/memory/memory.hpp"

#include "probe_plan.hpp"

namespace kbsim::host {

/// The route from a node to another.
struct ProbeLeg {
  NodeId from;
  NodeId to;
  Bytes bytes;
  bool data = false;  // not a request or a report
  hw::TrafficClass traffic_class = hw::TrafficClass::request;

  /// The network of cubes that it takes.
  [[nodiscard]] int network(const topology::Graph& graph) const {
    return hw::noc_number(graph, from, to, traffic_class);
  }
};

/// A memory at the start or end of a leg.
struct ProbePort {
  hw::Memory* memory;
  bool write;
  std::size_t leg;
  bool both_ways = false;  // it serves each byte twice: in and out

  [[nodiscard]] Bandwidth rate() const { return write ? memory->write_rate() : memory->read_rate(); }
};

struct ProbePath {
  std::vector<ProbeLeg> legs;    // one after the other
  std::vector<ProbePort> ports;  // along them
  std::size_t last_leg = 0;      // its end shows when data has arrived

  [[nodiscard]] const ProbeLeg& last() const { return legs[last_leg]; }
};

/// The path of a probe's first flow.
[[nodiscard]] ProbePath path_of(Session& session, const ProbePlan& plan);

}  // namespace kbsim::host
