// Metrics and axes as quantities of points.
#include "quantity.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::sweep {
namespace {

std::vector<std::string> metric_names(const Tables& tables) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Row& row : tables.rows) {
    for (const Metric& metric : row.metrics) {
      if (seen.insert(metric.name).second) names.push_back(metric.name);
    }
  }
  return names;
}

}  // namespace

bool is_better(const Quantity& what, double a, double b) { return what.larger_is_better ? a > b : a < b; }

std::string label_of(const Quantity& what) {
  return what.unit == "1" ? what.name : fmt::format("{} ({})", what.name, what.unit);
}

std::optional<std::vector<double>> numbers_of(const Axis& axis) {
  std::vector<double> numbers;
  for (const AxisValue& value : axis.values) {
    double number = 0.0;
    if (!read_number(value.text, &number) || !(number > 0.0)) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<std::size_t> varied(const Plan& plan) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    if (plan.axes[i].values.size() > 1) axes.push_back(i);
  }
  return axes;
}

std::vector<std::vector<std::size_t>> together(const Plan& plan) {
  std::vector<std::vector<std::size_t>> groups;
  for (const std::size_t axis : varied(plan)) {
    const auto joined = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& group) {
      return std::ranges::all_of(plan.points,
                                 [&](const Point& point) { return point[axis] == point[group.front()]; });
    });
    if (joined == groups.end())
      groups.push_back({axis});
    else
      joined->push_back(axis);
  }
  return groups;
}

const Row* best_row(const Tables& tables, const Quantity& what) {
  const Row* best = nullptr;
  for (const Row& row : tables.rows) {
    const std::optional<double> value = value_of(tables, row, what);
    if (value && (best == nullptr || is_better(what, *value, *value_of(tables, *best, what)))) best = &row;
  }
  return best;
}

std::string chosen_metric(const Tables& tables, const std::string& asked) {
  const std::vector<std::string> names = metric_names(tables);
  if (names.empty()) return {};
  if (asked.empty()) return usual_metric(names);
  if (const std::string meant = metric_meant(asked, names); !meant.empty()) return meant;
  throw UsageError{fmt::format("no point has the metric '{}'{}", asked, metric_hint(asked, names))};
}

Quantity quantity(const Tables& tables, const std::string& text) {
  const bool most = text.starts_with("max:");
  const bool least = text.starts_with("min:");
  const std::string name = most || least ? text.substr(4) : text;
  std::vector<std::string> names = metric_names(tables);
  const bool is_axis = std::ranges::find(tables.plan.axes, name, &Axis::name) != tables.plan.axes.end();
  const std::string meant = is_axis ? name : metric_meant(name, names);
  for (const Row& row : tables.rows) {
    const Metric* metric = row.find(meant);
    if (metric == nullptr) continue;
    return {.name = meant,
            .unit = metric->unit,
            .larger_is_better = most || (!least && metric->unit.ends_with("/s"))};
  }
  for (const Axis& axis : tables.plan.axes) {
    if (axis.name == name && numbers_of(axis)) return {.name = name, .unit = "1", .larger_is_better = most};
    names.push_back(axis.name);
  }
  throw UsageError{fmt::format("no point has the metric '{}'{}", name, metric_hint(name, names))};
}

std::optional<double> value_of(const Tables& tables, const Row& row, const Quantity& what) {
  if (row.record == nullptr || row.record->exit != 0) return std::nullopt;
  if (const Metric* metric = row.find(what.name)) return metric->value;
  for (std::size_t i = 0; i < tables.plan.axes.size(); ++i) {
    double number = 0.0;
    if (tables.plan.axes[i].name == what.name && read_number(row.values[i], &number)) return number;
  }
  return std::nullopt;
}

}  // namespace kbsim::sweep
