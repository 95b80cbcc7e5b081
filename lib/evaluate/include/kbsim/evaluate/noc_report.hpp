#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/evaluate/noc_errors.hpp"

namespace kbsim::evaluate {

/// The traces simulated in one way: "open", "closed", or before a fit.
struct NocColumn {
  std::string name;
  std::vector<NocTraceErrors> traces;  // the same files in each column
};

/// A line a trace: its half, its judged barriers, and of each column mean, median and p95 of its errors; the
/// means of both halves; the worst barrier of the last column.
[[nodiscard]] std::string noc_table(const std::vector<NocColumn>& columns);
[[nodiscard]] boost::json::object noc_json(const std::vector<NocColumn>& columns);
/// A row a judged barrier.
[[nodiscard]] std::string noc_barriers_csv(const std::vector<NocColumn>& columns);
/// Of one column: half, measured, predicted; and the gnuplot script for it.
[[nodiscard]] std::string noc_scatter_csv(const NocColumn& column);
[[nodiscard]] std::string noc_scatter_script(const NocColumn& column, const std::string& name);

}  // namespace kbsim::evaluate
