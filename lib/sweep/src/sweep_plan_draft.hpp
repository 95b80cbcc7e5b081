#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {

/// Axes whose values go together, by index; all have the same number of values.
using AxisGroup = std::vector<std::size_t>;

/// The parts of a correct draft that define its points.
struct CheckedDraft {
  std::vector<AxisGroup> groups;
  std::vector<Condition> conditions;
  std::optional<Sample> sample;
};
/// ConfigError with every mistake.
[[nodiscard]] CheckedDraft checked(const Draft& draft);

/// UsageError if there are no points, or too many.
[[nodiscard]] std::vector<Point> points_of(const std::vector<Axis>& axes, CheckedDraft draft);

}  // namespace kbsim::sweep
