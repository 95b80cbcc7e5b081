// Names of metrics that tables are asked for, against those of a point.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "kbsim/sweep/result_files.hpp"
#include "kbsim/sweep/tables.hpp"

#include "pair_halves.hpp"
#include "quantity.hpp"

namespace kbsim::sweep {
namespace {

std::string base_of(const std::string& name) { return name.substr(0, name.find('[')); }

bool has(const std::vector<std::string>& names, const std::string& asked) {
  if (asked.find('[') == std::string::npos) return !metric_meant(asked, names).empty();
  std::vector<std::string> bases;
  std::ranges::transform(names, std::back_inserter(bases), base_of);
  return !metric_meant(base_of(asked), bases).empty();
}

std::string without_sense(const std::string& text) {
  return text.starts_with("max:") || text.starts_with("min:") ? text.substr(4) : text;
}

std::string lacks(const char* option, const std::string& asked, const std::vector<std::string>& names) {
  if (has(names, asked)) return {};
  return fmt::format("--{} {}: a point has no such metric{}", option, asked, metric_hint(asked, names));
}

}  // namespace

std::string missing_metric(const TableOptions& options, const Plan& plan, const std::string& document) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics_in(document)) names.push_back(metric.name);
  if (names.empty()) return {};
  std::string missing = options.metric.empty() ? "" : lacks("metric", options.metric, names);
  if (options.pareto.empty() || !missing.empty()) return missing;
  for (const Axis& axis : plan.axes) {
    if (numbers_of(axis)) names.push_back(axis.name);
  }
  const auto [first, second] = halves(options.pareto);
  missing = lacks("pareto", without_sense(first), names);
  return missing.empty() ? lacks("pareto", without_sense(second), names) : missing;
}

}  // namespace kbsim::sweep
