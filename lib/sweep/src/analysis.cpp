#include "kbsim/sweep/analysis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/report/sweep_figures.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostLines = 10;
constexpr std::size_t kMostShown = 20;  // of an axis, in best.txt

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

bool is_better(const Quantity& what, double a, double b) { return what.larger_is_better ? a > b : a < b; }

std::string with_unit(double value, const std::string& unit) {
  return unit == "1" ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value, unit);
}

std::string label_of(const Quantity& what) {
  return what.unit == "1" ? what.name : fmt::format("{} ({})", what.name, what.unit);
}

// Of each value of an axis its number; none if one isn't a positive number.
std::optional<std::vector<double>> numbers_of(const Axis& axis) {
  std::vector<double> numbers;
  for (const AxisValue& value : axis.values) {
    double number = 0.0;
    if (!read_number(value.text, &number) || !(number > 0.0)) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

// Axes of more than one value.
std::vector<std::size_t> varied(const Plan& plan) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    if (plan.axes[i].values.size() > 1) axes.push_back(i);
  }
  return axes;
}

std::optional<std::size_t> longest_numeric(const Plan& plan) {
  std::optional<std::size_t> longest;
  for (const std::size_t i : varied(plan)) {
    if (!numbers_of(plan.axes[i])) continue;
    if (!longest || plan.axes[i].values.size() > plan.axes[*longest].values.size()) longest = i;
  }
  return longest;
}

// The last two parts of a key say enough beside others.
std::string short_name(const std::string& name) {
  const std::size_t last = name.rfind('.');
  const std::size_t before = last == 0 || last == std::string::npos ? last : name.rfind('.', last - 1);
  return before == std::string::npos ? name : name.substr(before + 1);
}

std::string others_of(const Tables& tables, const Row& row, const std::vector<std::size_t>& shown) {
  std::string label;
  for (const std::size_t axis : varied(tables.plan)) {
    if (std::ranges::find(shown, axis) != shown.end()) continue;
    const bool number = numbers_of(tables.plan.axes[axis]).has_value();
    const std::string text =
        number ? fmt::format("{} {}", short_name(tables.plan.axes[axis].name), row.values[axis])
               : row.values[axis];
    label += (label.empty() ? "" : ", ") + text;
  }
  return label;
}

// Along the first of the axes that are shown, of some rows.
report::SweepCurves curves_of(const Tables& tables, const Quantity& what,
                              const std::vector<std::size_t>& shown,
                              const std::function<bool(const Row&)>& of_rows) {
  const std::size_t x = shown.front();
  const std::vector<double> numbers = *numbers_of(tables.plan.axes[x]);
  report::SweepCurves figure{.name = "curve",
                             .title = fmt::format("{} of {}", what.name, tables.plan.bench),
                             .x_label = tables.plan.axes[x].name,
                             .y_label = label_of(what)};
  std::map<std::string, std::size_t> places;
  for (const Row& row : tables.rows) {
    const std::optional<double> value = value_of(tables, row, what);
    if (!value || !of_rows(row)) continue;
    const std::string label = others_of(tables, row, shown);
    const auto [at, is_new] = places.emplace(label, figure.curves.size());
    if (is_new) figure.curves.push_back({.label = label});
    figure.curves[at->second].points[numbers[tables.plan.points[row.point][x]]] = *value;
  }
  return figure;
}

// The axis with the most values besides x.
std::size_t second_axis(const Plan& plan, std::size_t x) {
  std::size_t second = x;
  for (const std::size_t i : varied(plan)) {
    if (i != x && (second == x || plan.axes[i].values.size() > plan.axes[second].values.size())) second = i;
  }
  return second;
}

std::vector<std::string> texts_of(const Axis& axis) {
  std::vector<std::string> texts;
  for (const AxisValue& value : axis.values) texts.push_back(value.text);
  return texts;
}

report::HeatMap map_of(const Tables& tables, const Quantity& what, std::size_t x) {
  const Plan& plan = tables.plan;
  const std::size_t y = second_axis(plan, x);
  report::HeatMap map{.name = "heat_map",
                      .title = fmt::format("{} of {}{}", label_of(what), plan.bench,
                                           varied(plan).size() > 2 ? ", the best over all other axes" : ""),
                      .x_label = plan.axes[x].name,
                      .y_label = plan.axes[y].name,
                      .x = texts_of(plan.axes[x]),
                      .y = texts_of(plan.axes[y]),
                      .values = std::vector(plan.axes[y].values.size(),
                                            std::vector(plan.axes[x].values.size(), std::nan("")))};
  for (const Row& row : tables.rows) {
    const std::optional<double> value = value_of(tables, row, what);
    if (!value) continue;
    double& cell = map.values[plan.points[row.point][y]][plan.points[row.point][x]];
    if (std::isnan(cell) || is_better(what, *value, cell)) cell = *value;
  }
  return map;
}

// A picture for each value of the axis that leaves few enough lines in each; none if there is no such axis.
std::optional<report::SweepPanels> panels_of(const Tables& tables, const Quantity& what, std::size_t x) {
  constexpr std::size_t kMostPanels = 6;
  for (const std::size_t axis : varied(tables.plan)) {
    const Axis& along = tables.plan.axes[axis];
    if (axis == x || along.values.size() > kMostPanels) continue;
    report::SweepPanels figure{.name = "panels",
                               .title = fmt::format("{} of {}", what.name, tables.plan.bench),
                               .x_label = tables.plan.axes[x].name,
                               .y_label = label_of(what)};
    std::size_t most = 0;
    for (std::uint32_t value = 0; value < along.values.size(); ++value) {
      const auto in_panel = [&](const Row& row) { return tables.plan.points[row.point][axis] == value; };
      figure.panels.push_back(
          {.title = fmt::format("{} {}", short_name(along.name), along.values[value].text),
           .curves = curves_of(tables, what, {x, axis}, in_panel).curves});
      most = std::max(most, figure.panels.back().curves.size());
    }
    if (most <= kMostLines) return figure;
  }
  return std::nullopt;
}

const Row* best_row(const Tables& tables, const Quantity& what) {
  const Row* best = nullptr;
  for (const Row& row : tables.rows) {
    const std::optional<double> value = value_of(tables, row, what);
    if (value && (best == nullptr || is_better(what, *value, *value_of(tables, *best, what)))) best = &row;
  }
  return best;
}

// Equal to a point but for one axis.
bool differs_only_in(const Point& a, const Point& b, std::size_t axis) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i != axis && a[i] != b[i]) return false;
  }
  return true;
}

std::vector<const Row*> rows_along(const Tables& tables, const Row& best, std::size_t axis) {
  std::vector<const Row*> rows;
  for (const Row& row : tables.rows) {
    if (differs_only_in(tables.plan.points[row.point], tables.plan.points[best.point], axis))
      rows.push_back(&row);
  }
  return rows;
}

std::string alone_text(const Tables& tables, const Quantity& what, const Row& best, std::size_t axis) {
  const double least = *value_of(tables, best, what);
  std::string text = fmt::format("  {}\n", tables.plan.axes[axis].name);
  const std::vector<const Row*> rows = rows_along(tables, best, axis);
  const std::size_t every = (rows.size() + kMostShown - 1) / kMostShown;
  for (std::size_t i = 0; i < rows.size(); i += every) {
    const Row& row = *rows[i];
    const std::optional<double> value = value_of(tables, row, what);
    const std::string found = value ? with_unit(*value, what.unit) : "failed";
    const std::string change =
        value && least != 0.0 ? fmt::format("{:+.1f} %", 100.0 * (*value - least) / least) : "";
    text += fmt::format("    {:<24} {:>20} {:>10}\n", row.values[axis], found, change);
  }
  if (every > 1)
    text += fmt::format("    each {} of {} values; results.csv has them all\n", every, rows.size());
  return text;
}

}  // namespace

std::string chosen_metric(const Tables& tables, const std::string& asked) {
  const std::vector<std::string> names = metric_names(tables);
  if (names.empty()) return {};
  const auto is_there = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  if (!asked.empty()) {
    if (!is_there(asked))
      throw UsageError{fmt::format("no point has the metric '{}'{}", asked, name_hint(asked, names))};
    return asked;
  }
  return usual_metric(names);
}

Quantity quantity(const Tables& tables, const std::string& text) {
  const bool most = text.starts_with("max:");
  const bool least = text.starts_with("min:");
  const std::string name = most || least ? text.substr(4) : text;
  std::vector<std::string> names = metric_names(tables);
  for (const Row& row : tables.rows) {
    const Metric* metric = row.find(name);
    if (metric == nullptr) continue;
    return {.name = name,
            .unit = metric->unit,
            .larger_is_better = most || (!least && metric->unit.ends_with("/s"))};
  }
  for (const Axis& axis : tables.plan.axes) {
    if (axis.name == name && numbers_of(axis)) return {.name = name, .unit = "1", .larger_is_better = most};
    names.push_back(axis.name);
  }
  throw UsageError{fmt::format("no point has the metric '{}'{}", name, name_hint(name, names))};
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

std::string best_text(const Tables& tables, const Quantity& what) {
  const Row* best = best_row(tables, what);
  if (best == nullptr) return failures_text(tables);
  std::string text = fmt::format("best of {} points by {}, {} is better: {}\n", tables.rows.size(), what.name,
                                 what.larger_is_better ? "larger" : "smaller",
                                 with_unit(*value_of(tables, *best, what), what.unit));
  for (std::size_t i = 0; i < tables.plan.axes.size(); ++i)
    text += fmt::format("  {} = {}\n", tables.plan.axes[i].name, best->values[i]);
  text += fmt::format("  {}\n", best->command);
  const std::vector<std::size_t> axes = varied(tables.plan);
  if (!axes.empty()) text += "each axis alone, the others as in the best point:\n";
  for (const std::size_t axis : axes) text += alone_text(tables, what, *best, axis);
  return text;
}

std::optional<report::Figure> figure_of(const Tables& tables, const Quantity& what) {
  const std::optional<std::size_t> x = longest_numeric(tables.plan);
  if (!x || best_row(tables, what) == nullptr) return std::nullopt;
  const report::SweepCurves curves = curves_of(tables, what, {*x}, [](const Row&) { return true; });
  if (curves.curves.size() <= kMostLines) return report::curve_figure(curves);
  if (const auto panels = panels_of(tables, what, *x)) return report::panels_figure(*panels);
  return report::heat_map(map_of(tables, what, *x));
}

std::vector<const Row*> pareto_front(const Tables& tables, const Quantity& a, const Quantity& b) {
  struct Candidate {
    double a;
    double b;
    const Row* row;
  };
  std::vector<Candidate> all;
  for (const Row& row : tables.rows) {
    const std::optional<double> first = value_of(tables, row, a);
    const std::optional<double> second = value_of(tables, row, b);
    if (first && second) all.push_back({*first, *second, &row});
  }
  std::ranges::sort(all, [&](const Candidate& one, const Candidate& other) {
    if (one.a != other.a) return is_better(a, one.a, other.a);
    return one.b != other.b ? is_better(b, one.b, other.b) : one.row->point < other.row->point;
  });
  std::vector<const Row*> front;
  std::optional<double> best;
  for (const Candidate& each : all) {
    if (best && !is_better(b, each.b, *best)) continue;
    best = each.b;
    front.push_back(each.row);
  }
  return front;
}

report::Figure pareto_figure(const Tables& tables, const Quantity& a, const Quantity& b) {
  report::ParetoFigure figure{.name = "pareto",
                              .title = fmt::format("{} and {} of {}", a.name, b.name, tables.plan.bench),
                              .x_label = label_of(a),
                              .y_label = label_of(b),
                              .points = {},
                              .front = {}};
  for (const Row& row : tables.rows) {
    const std::optional<double> x = value_of(tables, row, a);
    const std::optional<double> y = value_of(tables, row, b);
    if (x && y) figure.points.emplace_back(*x, *y);
  }
  for (const Row* row : pareto_front(tables, a, b))
    figure.front.emplace_back(*value_of(tables, *row, a), *value_of(tables, *row, b));
  return report::pareto_figure(figure);
}

}  // namespace kbsim::sweep
