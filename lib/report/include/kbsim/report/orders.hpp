#pragma once

#include <string>
#include <vector>

#include "kbsim/hw/control/order_record.hpp"

namespace kbsim::report {

/// One row per order of the host to the PEs of a package, and per record of its writes or reads of memory.
/// `target_pe` is a PE's number in its cube, the first and the last, `all`, or empty for memories of cubes;
/// total_ns = kernel_ns + network_ns.
[[nodiscard]] std::string orders_csv(const std::vector<hw::OrderRecord>& orders, int pes_per_cube);

}  // namespace kbsim::report
