// The best point, and what each axis does alone, or with those that go with it.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"

#include "quantity.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostShown = 20;  // of an axis

std::string with_unit(double value, const std::string& unit) {
  return unit == "1" ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value, unit);
}

std::string why_none(const Row& row) {
  if (row.record == nullptr) return "hasn't run";
  return row.record->exit == 0 ? "no such number" : "failed";
}

// "12 points", or "7 of 12 points" where the others have no such number.
std::string points_text(const Tables& tables, const Quantity& what) {
  const auto has = [&](const Row& row) { return value_of(tables, row, what).has_value(); };
  const std::ptrdiff_t with = std::ranges::count_if(tables.rows, has);
  const std::string all = counted(tables.rows.size(), "point");
  return with == std::ssize(tables.rows) ? all : fmt::format("{} of {}", with, all);
}

using Axes = std::vector<std::size_t>;

// True if two points differ only in these axes.
bool differs_only_in(const Point& a, const Point& b, const Axes& axes) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && std::ranges::find(axes, i) == axes.end()) return false;
  }
  return true;
}

std::vector<const Row*> rows_along(const Tables& tables, const Row& best, const Axes& axes) {
  std::vector<const Row*> rows;
  for (const Row& row : tables.rows) {
    if (differs_only_in(tables.plan.points[row.point], tables.plan.points[best.point], axes))
      rows.push_back(&row);
  }
  return rows;
}

std::string joined(const Axes& axes, const auto& text_of) {
  std::string text;
  for (const std::size_t axis : axes) text += (text.empty() ? "" : ", ") + text_of(axis);
  return text;
}

// Values of an axis, and of the axes that go with it.
std::string alone_text(const Tables& tables, const Quantity& what, const Row& best, const Axes& axes) {
  const double least = *value_of(tables, best, what);
  std::string text =
      fmt::format("  {}\n", joined(axes, [&](std::size_t axis) { return tables.plan.axes[axis].name; }));
  const std::vector<const Row*> rows = rows_along(tables, best, axes);
  const std::size_t every = (rows.size() + kMostShown - 1) / kMostShown;
  for (std::size_t i = 0; i < rows.size(); i += every) {
    const Row& row = *rows[i];
    const std::optional<double> value = value_of(tables, row, what);
    const std::string found = value ? with_unit(*value, what.unit) : why_none(row);
    const std::string change =
        value && least != 0.0 ? fmt::format("{:+.1f} %", 100.0 * (*value - least) / least) : "";
    text += fmt::format("    {:<24} {:>20} {:>10}\n",
                        joined(axes, [&](std::size_t axis) { return row.values[axis]; }), found, change);
  }
  if (every > 1)
    text += fmt::format("    each {} of {} values; results.csv has them all\n", every, rows.size());
  return text;
}

}  // namespace

std::string best_text(const Tables& tables, const Quantity& what) {
  const Row* best = best_row(tables, what);
  if (best == nullptr) return failures_text(tables);
  std::string text = fmt::format("best of {} by {}, {} is better: {}\n", points_text(tables, what), what.name,
                                 what.larger_is_better ? "larger" : "smaller",
                                 with_unit(*value_of(tables, *best, what), what.unit));
  for (std::size_t i = 0; i < tables.plan.axes.size(); ++i)
    text += fmt::format("  {} = {}\n", tables.plan.axes[i].name, best->values[i]);
  text += fmt::format("  {}\n", best->command);
  const std::vector<Axes> groups = together(tables.plan);
  if (!groups.empty()) text += "each axis alone, the others as in the best point:\n";
  for (const Axes& axes : groups) text += alone_text(tables, what, *best, axes);
  return text;
}

}  // namespace kbsim::sweep
