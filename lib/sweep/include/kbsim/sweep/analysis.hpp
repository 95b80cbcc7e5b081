#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbsim/report/figure.hpp"
#include "kbsim/sweep/tables.hpp"

namespace kbsim::sweep {

/// The metric that was asked for, or of "" the latency or the time, or the first that there is. UsageError
/// with the nearest for one that no point has; "" if no point has any.
[[nodiscard]] std::string chosen_metric(const Tables& tables, const std::string& asked);

/// A quantity of a point: a metric, or an axis with numbers.
struct Quantity {
  std::string name;
  std::string unit;
  bool larger_is_better = false;  // of rates; of an axis and of all else not
};
/// UsageError with the nearest name. "max:NAME" and "min:NAME" say which is better.
[[nodiscard]] Quantity quantity(const Tables& tables, const std::string& text);
[[nodiscard]] std::optional<double> value_of(const Tables& tables, const Row& row, const Quantity& what);

/// The best point by a metric with its command, and what each axis does alone: its values with the others as
/// in the best point.
[[nodiscard]] std::string best_text(const Tables& tables, const Quantity& what);

/// Of points none of which has a number: how many failed, and with which messages.
[[nodiscard]] std::string failures_text(const Tables& tables);

/// A curve along the numeric axis with the most values, a line for each combination of the others; of more
/// than ten such lines small multiples, one for each value of a third axis, or if these are too many a heat
/// map of the best over all but two axes. None without a numeric axis or without numbers.
[[nodiscard]] std::optional<report::Figure> figure_of(const Tables& tables, const Quantity& what);

/// Points that no other beats in one quantity without being beaten in the other, by the first.
[[nodiscard]] std::vector<const Row*> pareto_front(const Tables& tables, const Quantity& a,
                                                   const Quantity& b);
[[nodiscard]] report::Figure pareto_figure(const Tables& tables, const Quantity& a, const Quantity& b);

/// A page with all points, filters and a figure, which needs nothing else; without a metric ("") it says why.
[[nodiscard]] std::string report_html(const Tables& tables, const std::string& metric);

}  // namespace kbsim::sweep
