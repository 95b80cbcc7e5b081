#pragma once

#include <string>
#include <vector>

#include "kbsim/explain/path.hpp"

namespace kbsim::explain {

/// The segments of a hop, last first: a node's overhead, and the wire before it.
[[nodiscard]] std::vector<Segment> split_hop(const Segment& hop, const hw::Machine& machine);

/// Whether its end is the first step at or after its begin.
[[nodiscard]] bool goes_in_steps(hw::Reason reason);

/// The segments of a single moment, last first.
[[nodiscard]] std::vector<Segment> segments_of(const Moment& moment, Time from, const hw::Machine& machine);

/// "kernels/x.cpp:46"; "" for line 0.
[[nodiscard]] std::string line_name(const Causes& causes, std::uint32_t number);

}  // namespace kbsim::explain
