#pragma once

#include <string>
#include <vector>

#include "kbsim/explain/path.hpp"

namespace kbsim::explain {

/// A node's overhead, and the wire before it that leads there: what a hop consists of, last first.
[[nodiscard]] std::vector<Segment> split_hop(const Segment& hop, const hw::Machine& machine);

/// Its end is the first step at or behind its begin.
[[nodiscard]] bool goes_in_steps(hw::Reason reason);

/// What a single moment consists of, last first.
[[nodiscard]] std::vector<Segment> segments_of(const Moment& moment, Time from, const hw::Machine& machine);

/// "kernels/x.cpp:46"; "" of line 0.
[[nodiscard]] std::string line_name(const Causes& causes, std::uint32_t number);

}  // namespace kbsim::explain
