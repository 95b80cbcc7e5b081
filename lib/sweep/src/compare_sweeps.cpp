#include "kbsim/sweep/compare_sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sweep/analysis.hpp"

namespace kbsim::sweep {
namespace {

std::vector<std::string> shared_axes(const Plan& first, const Plan& second) {
  std::vector<std::string> names;
  for (const Axis& axis : first.axes) {
    if (std::ranges::find(second.axes, axis.name, &Axis::name) != second.axes.end())
      names.push_back(axis.name);
  }
  return names;
}

std::string name_of(const Plan& plan, const Row& row, const std::vector<std::string>& axes) {
  std::string name;
  for (const std::string& axis : axes) {
    const auto at = std::ranges::find(plan.axes, axis, &Axis::name) - plan.axes.begin();
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", axis, row.values[static_cast<std::size_t>(at)]);
  }
  return name;
}

std::map<std::string, double> values_by_point(const Tables& tables, const std::vector<std::string>& axes,
                                              const Quantity& what) {
  std::map<std::string, double> numbers;
  std::map<std::string, std::size_t> seen;
  for (const Row& row : tables.rows) {
    const std::string name = name_of(tables.plan, row, axes);
    if (++seen[name] > 1)
      throw UsageError{fmt::format(
          "several points of a sweep are '{}': the other has no axis in which they differ", name)};
    if (const std::optional<double> value = value_of(tables, row, what)) numbers.emplace(name, *value);
  }
  return numbers;
}

Quantity quantity_in(const Tables& first, const Tables& second, const std::string& metric) {
  const std::string name = chosen_metric(first, metric);
  if (name.empty()) throw UsageError{"no point of the first sweep has a number"};
  (void)quantity(second, name);
  return quantity(first, name);
}

std::optional<double> mean_of(const std::vector<PointPair>& points) {
  double sum = 0.0;
  std::size_t n = 0;
  for (const PointPair& point : points) {
    if (const std::optional<double> ratio = point.ratio()) sum += std::log(*ratio), ++n;
  }
  if (n == 0) return std::nullopt;
  return std::exp(sum / static_cast<double>(n));
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.4f}", *ratio) : "-";
}

}  // namespace

std::optional<double> PointPair::ratio() const {
  if (!(was > 0.0) || !(is > 0.0)) return std::nullopt;
  return is / was;
}

bool SweepComparison::same() const {
  return only_first == 0 && only_second == 0 &&
         std::ranges::all_of(points, [](const PointPair& point) { return point.was == point.is; });
}

SweepComparison compare(const Tables& first, const Tables& second, const std::string& metric) {
  const std::vector<std::string> axes = shared_axes(first.plan, second.plan);
  const Quantity what = quantity_in(first, second, metric);
  SweepComparison found{.metric = what.name, .unit = what.unit, .points = {}, .geometric_mean = {}};
  const std::map<std::string, double> was = values_by_point(first, axes, what);
  const std::map<std::string, double> is = values_by_point(second, axes, what);
  for (const Row& row : first.rows) {
    const std::string name = name_of(first.plan, row, axes);
    const auto before = was.find(name);
    const auto after = is.find(name);
    if (before != was.end() && after != is.end())
      found.points.push_back({.point = name, .was = before->second, .is = after->second});
  }
  found.only_first = was.size() - found.points.size();
  found.only_second = is.size() - found.points.size();
  found.geometric_mean = mean_of(found.points);
  return found;
}

std::string to_text(const SweepComparison& all) {
  std::size_t width = 14;
  for (const PointPair& point : all.points) width = std::max(width, point.point.size());
  const std::string unit = all.unit == "1" ? "" : fmt::format(" ({})", all.unit);
  std::string text = fmt::format("{:<{}} {:>14} {:>14} {:>9}\n", all.metric + unit, width, "A", "B", "B / A");
  for (const PointPair& point : all.points)
    text += fmt::format("{:<{}} {:>14.7g} {:>14.7g} {:>9}\n", point.point, width, point.was, point.is,
                        ratio_text(point.ratio()));
  text += fmt::format("{:<{}} {:>14} {:>14} {:>9}\n", "geometric mean", width, "", "",
                      ratio_text(all.geometric_mean));
  if (all.only_first + all.only_second > 0)
    text +=
        fmt::format("points with a number in A alone: {}, in B alone: {}\n", all.only_first, all.only_second);
  return text;
}

boost::json::object to_json(const SweepComparison& all) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? boost::json::value(*value) : boost::json::value(nullptr);
  };
  boost::json::array points;
  for (const PointPair& point : all.points)
    points.push_back(boost::json::object{
        {"point", point.point}, {"a", point.was}, {"b", point.is}, {"ratio", or_null(point.ratio())}});
  return {{"metric", all.metric},        {"unit", all.unit},
          {"points", std::move(points)}, {"only_a", all.only_first},
          {"only_b", all.only_second},   {"geometric_mean", or_null(all.geometric_mean)}};
}

}  // namespace kbsim::sweep
