#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/explain/difference.hpp"
#include "kbsim/report/text_table.hpp"

#include "trials.hpp"

namespace kbsim::app {

/// A row of kbsim whatif's table.
struct TrialRow {
  std::string name;
  std::vector<std::string> settings = {};  // KEY=VALUE
  std::string command = {};
  int exit = 0;
  std::string message = {};
  std::optional<double> total_ns = {};  // simulated time; of several simulations their sum
  std::string metric = {};
  std::string unit = {};
  std::optional<double> value = {};  // of the metric
  std::string limited_by = {};
  std::optional<explain::PathRecord> path = {};  // of the run, or of what --of asks about
  bool asked = false;                            // `path` is the one that --of asks about
};
[[nodiscard]] TrialRow row_of(const Trial& trial, const std::string& command, const TrialResult& result,
                              const std::string& metric);

/// The first row is the base. Changes of the path are printed if there are paths.
[[nodiscard]] std::string to_text(const std::vector<TrialRow>& rows, bool explains, report::Columns columns);
[[nodiscard]] boost::json::object to_json(const std::vector<TrialRow>& rows, bool explains);
/// Numbers and words alone, for CSV.
[[nodiscard]] boost::json::array flat_rows(const std::vector<TrialRow>& rows);

}  // namespace kbsim::app
