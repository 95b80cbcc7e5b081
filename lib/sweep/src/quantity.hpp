#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/sweep/analysis.hpp"

namespace kbsim::sweep {

[[nodiscard]] bool is_better(const Quantity& what, double a, double b);
/// "latency (ns)"
[[nodiscard]] std::string label_of(const Quantity& what);

/// The numbers of an axis's values; none if a value isn't a positive number.
[[nodiscard]] std::optional<std::vector<double>> numbers_of(const Axis& axis);
/// Axes of more than one value.
[[nodiscard]] std::vector<std::size_t> varied(const Plan& plan);
/// The varied axes that go with each varied one in all points, as zipped axes do: itself and others, in
/// order.
[[nodiscard]] std::vector<std::vector<std::size_t>> together(const Plan& plan);

/// The best point by that quantity; null if no point has it.
[[nodiscard]] const Row* best_row(const Tables& tables, const Quantity& what);

}  // namespace kbsim::sweep
