// Points along an axis: curves, small multiples, or a heat map.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "kbsim/report/sweep_figures.hpp"

#include "quantity.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostLines = 10;

std::optional<std::size_t> longest_numeric(const Plan& plan) {
  std::optional<std::size_t> longest;
  for (const std::size_t i : varied(plan)) {
    if (!numbers_of(plan.axes[i])) continue;
    if (!longest || plan.axes[i].values.size() > plan.axes[*longest].values.size()) longest = i;
  }
  return longest;
}

// The shown axes, and those that go with one of them: their values add no information.
std::vector<std::size_t> with_companions(const Plan& plan, const std::vector<std::size_t>& shown) {
  std::vector<std::size_t> all = shown;
  for (const std::vector<std::size_t>& group : together(plan)) {
    if (std::ranges::find_first_of(group, shown) != group.end())
      all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

bool has(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

// Beside other names, the last two parts of a key are enough.
std::string short_name(const std::string& name) {
  const std::size_t last = name.rfind('.');
  const std::size_t before = last == 0 || last == std::string::npos ? last : name.rfind('.', last - 1);
  return before == std::string::npos ? name : name.substr(before + 1);
}

std::string others_of(const Tables& tables, const Row& row, const std::vector<std::size_t>& shown) {
  std::string label;
  for (const std::size_t axis : varied(tables.plan)) {
    if (has(shown, axis)) continue;
    const bool number = numbers_of(tables.plan.axes[axis]).has_value();
    const std::string text =
        number ? fmt::format("{} {}", short_name(tables.plan.axes[axis].name), row.values[axis])
               : row.values[axis];
    label += (label.empty() ? "" : ", ") + text;
  }
  return label;
}

// Curves of some rows, along the first of the shown axes.
report::SweepCurves curves_of(const Tables& tables, const Quantity& what,
                              const std::vector<std::size_t>& shown,
                              const std::function<bool(const Row&)>& of_rows) {
  const std::size_t x = shown.front();
  const std::vector<double> numbers = *numbers_of(tables.plan.axes[x]);
  const std::vector<std::size_t> said = with_companions(tables.plan, shown);
  report::SweepCurves figure{.name = "curve",
                             .title = fmt::format("{} of {}", what.name, tables.plan.bench),
                             .x_label = tables.plan.axes[x].name,
                             .y_label = label_of(what)};
  std::map<std::string, std::size_t> places;
  for (const Row& row : tables.rows) {
    const std::optional<double> value = value_of(tables, row, what);
    if (!value || !of_rows(row)) continue;
    const std::string label = others_of(tables, row, said);
    const auto [at, is_new] = places.emplace(label, figure.curves.size());
    if (is_new) figure.curves.push_back({.label = label});
    figure.curves[at->second].points[numbers[tables.plan.points[row.point][x]]] = *value;
  }
  return figure;
}

// The axis with the most values, apart from x and the axes that go with x.
std::size_t second_axis(const Plan& plan, std::size_t x) {
  const std::vector<std::size_t> said = with_companions(plan, {x});
  std::size_t second = x;
  for (const std::size_t i : varied(plan)) {
    if (!has(said, i) && (second == x || plan.axes[i].values.size() > plan.axes[second].values.size()))
      second = i;
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
                                           together(plan).size() > 2 ? ", the best over all other axes" : ""),
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

// One panel per value of an axis that leaves few enough lines in each; none without such an axis.
std::optional<report::SweepPanels> panels_of(const Tables& tables, const Quantity& what, std::size_t x) {
  constexpr std::size_t kMostPanels = 6;
  const std::vector<std::size_t> said = with_companions(tables.plan, {x});
  for (const std::size_t axis : varied(tables.plan)) {
    const Axis& along = tables.plan.axes[axis];
    if (has(said, axis) || along.values.size() > kMostPanels) continue;
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

}  // namespace

std::optional<report::Figure> figure_of(const Tables& tables, const Quantity& what) {
  const std::optional<std::size_t> x = longest_numeric(tables.plan);
  if (!x || best_row(tables, what) == nullptr) return std::nullopt;
  const report::SweepCurves curves = curves_of(tables, what, {*x}, [](const Row&) { return true; });
  if (curves.curves.size() <= kMostLines) return report::curve_figure(curves);
  if (const auto panels = panels_of(tables, what, *x)) return report::panels_figure(*panels);
  return report::heat_map(map_of(tables, what, *x));
}

}  // namespace kbsim::sweep
