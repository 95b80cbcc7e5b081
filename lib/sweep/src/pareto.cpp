// Points that no other beats in two quantities.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/report/sweep_figures.hpp"

#include "quantity.hpp"

namespace kbsim::sweep {

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
