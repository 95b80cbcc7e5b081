#pragma once

#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/hw/control/order_record.hpp"
#include "kbsim/report/text_table.hpp"

namespace kbsim::report {

/// One row per launch among the orders: times of its kernels, bytes that the DMAs of its PEs read and wrote
/// meanwhile, and utilization of their units (from 0 to 1, the mean over the PEs, from the first start to the
/// last end).
[[nodiscard]] boost::json::array launch_rows(const std::vector<hw::OrderRecord>& orders);

/// The rows as CSV; without rows, only the names of the columns.
[[nodiscard]] std::string launches_csv(const boost::json::array& rows);

/// The rows as a table for people, only the first ones if there are many. "" if there are none.
[[nodiscard]] std::string launches_text(const boost::json::array& rows, Columns columns = Columns::usual);

}  // namespace kbsim::report
