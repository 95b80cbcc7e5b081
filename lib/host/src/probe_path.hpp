#pragma once

#include <cstddef>
#include <vector>

#include "kbsim/hw/memory/memory.hpp"

#include "probe_plan.hpp"

namespace kbsim::host {

/// One way from a node to another.
struct ProbeLeg {
  NodeId from;
  NodeId to;
  Bytes bytes;
  bool data = false;  // not a request or a report
};

/// A memory before or behind a leg.
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
  std::size_t last_leg = 0;      // that shows when data is there

  [[nodiscard]] const ProbeLeg& last() const { return legs[last_leg]; }
};

/// Of a probe's first flow.
[[nodiscard]] ProbePath path_of(Session& session, const ProbePlan& plan);

}  // namespace kbsim::host
