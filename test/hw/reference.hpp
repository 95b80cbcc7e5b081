#pragma once

#include <vector>

#include "sink.hpp"

namespace kbsim::hw::test {

/// When the last byte of each flow arrives, by the equations of packets on links worked out one by one in
/// the order of head arrivals, ties by input port: what the machine's fabric must agree with.
[[nodiscard]] std::vector<Time> reference_arrivals(const topology::Graph& graph,
                                                   const std::vector<Flow>& flows);

}  // namespace kbsim::hw::test
