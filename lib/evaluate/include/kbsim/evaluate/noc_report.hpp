#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/evaluate/noc_column.hpp"

namespace kbsim::evaluate {

/// One line per trace: its half, its judged barriers, and mean, median and p95 of each column's errors. Then
/// the means of both halves, and each column's worst barrier. The columns have the same traces.
[[nodiscard]] std::string noc_table(const std::vector<NocColumn>& columns);
[[nodiscard]] boost::json::object noc_json(const std::vector<NocColumn>& columns);
/// The head of a table of judged barriers, and a row of it.
[[nodiscard]] std::string noc_barriers_head();
[[nodiscard]] std::string noc_barrier_row(std::string_view column, const std::string& trace,
                                          const hw::NocBarrier& barrier);
/// CSV of one column (half, measured, predicted), and the gnuplot script for it.
[[nodiscard]] std::string noc_scatter_csv(const NocColumn& column);
[[nodiscard]] std::string noc_scatter_script(const NocColumn& column, const std::string& name);

}  // namespace kbsim::evaluate
