#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbsim/report/figure.hpp"
#include "kbsim/sweep/tables.hpp"

namespace kbsim::sweep {

/// The metric that was asked for; for "" the latency or the time, or the first one. UsageError with the
/// nearest name if no point has it; "" if no point has any.
[[nodiscard]] std::string chosen_metric(const Tables& tables, const std::string& asked);

/// A quantity of a point: a metric, or an axis with numbers.
struct Quantity {
  std::string name;
  std::string unit;
  bool larger_is_better = false;  // true for rates; false for axes and all others
};
/// UsageError with the nearest name. "max:NAME" and "min:NAME" say which is better.
[[nodiscard]] Quantity quantity(const Tables& tables, const std::string& text);
[[nodiscard]] std::optional<double> value_of(const Tables& tables, const Row& row, const Quantity& what);

/// The best point by a metric with its command, and what each axis does alone: its values with the others as
/// in the best point.
[[nodiscard]] std::string best_text(const Tables& tables, const Quantity& what);

/// For points without any number: how many failed, and with which messages.
[[nodiscard]] std::string failures_text(const Tables& tables);

/// A curve along the numeric axis with the most values, one line per combination of the others. More than ten
/// lines give small multiples, one per value of a third axis. If these are too many: a heat map of the best
/// over all but two axes. None without a numeric axis or without numbers.
[[nodiscard]] std::optional<report::Figure> figure_of(const Tables& tables, const Quantity& what);

/// Pareto front: no other point is better in one quantity and as good in the other. Sorted by the first.
[[nodiscard]] std::vector<const Row*> pareto_front(const Tables& tables, const Quantity& a,
                                                   const Quantity& b);
[[nodiscard]] report::Figure pareto_figure(const Tables& tables, const Quantity& a, const Quantity& b);

/// Two quantities of a front.
struct Front {
  Quantity first;
  Quantity second;
};

/// A self-contained page of all points: the best one, curves, a heat map, a front and a table, with filters.
/// Without a metric ("") it says why. The front is the one that the page shows first. Values and points that
/// would make it larger than about 10 MB are left out, the worst points first; the page says how many.
[[nodiscard]] std::string report_html(const Tables& tables, const std::string& metric,
                                      const std::optional<Front>& front = std::nullopt);

}  // namespace kbsim::sweep
