#pragma once

#include <string>

#include "kbsim/hw/machine.hpp"

namespace kbsim::report {

/// A row a link, in the order of the graph. `utilization` is busy time over `window`; `demand` the mean
/// number of packets that were on it or wanted it (Little's law), which may be over 1; `longest_queue_ns`
/// the most work that was there at once, as the time that serving it takes; `blocked_ns` how long it was
/// free, but for nobody was there room ahead.
[[nodiscard]] std::string links_csv(const hw::Fabric& fabric, Time window);

/// The same for each port of a memory and each engine; bytes of engines are NaN.
[[nodiscard]] std::string units_csv(const hw::Machine& machine, Time window);

}  // namespace kbsim::report
