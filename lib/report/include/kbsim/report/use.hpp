#pragma once

#include <string>

#include "kbsim/hw/machine.hpp"

namespace kbsim::report {

/// One row per link, in the order of the graph. `utilization` is busy time over `window`; `demand` the mean
/// number of packets on it or waiting for it (Little's law), which may exceed 1; `longest_queue_ns` the
/// greatest queued work, as its service time; `blocked_ns` the time in which it was free without room
/// downstream for any waiting packet.
[[nodiscard]] std::string links_csv(const hw::Fabric& fabric, Time window);

/// The same for each port of a memory and each engine; bytes of engines are NaN.
[[nodiscard]] std::string units_csv(const hw::Machine& machine, Time window);

}  // namespace kbsim::report
