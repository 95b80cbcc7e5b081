#pragma once

#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/hw/control/order_record.hpp"

namespace kbsim::report {

/// A row for each launch among the orders: when its kernels ran, what the DMAs of its PEs read and wrote
/// meanwhile, and how busy their units were (of 1, the mean of the PEs, from the first start to the last
/// end).
[[nodiscard]] boost::json::array launch_rows(const std::vector<hw::OrderRecord>& orders);

/// The rows as CSV; of none the names of the columns.
[[nodiscard]] std::string launches_csv(const boost::json::array& rows);

/// The rows as a table for people; the first ones, if there are many. "" of none.
[[nodiscard]] std::string launches_text(const boost::json::array& rows);

}  // namespace kbsim::report
