#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kbsim/sweep/plan.hpp"

namespace kbsim::sweep {

/// Axes whose values go together: by place, as long as each other.
using AxisGroup = std::vector<std::size_t>;

/// What a draft that makes sense says of its points.
struct CheckedDraft {
  std::vector<AxisGroup> groups;
  std::vector<Condition> conditions;
  std::optional<Sample> sample;
};
/// ConfigError with every mistake.
[[nodiscard]] CheckedDraft checked(const Draft& draft);

/// UsageError if there are none, or too many.
[[nodiscard]] std::vector<Point> points_of(const std::vector<Axis>& axes, CheckedDraft draft);

}  // namespace kbsim::sweep
