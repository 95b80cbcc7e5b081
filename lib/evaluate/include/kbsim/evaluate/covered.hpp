#pragma once

#include <algorithm>
#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim::evaluate {

struct Interval {
  Time begin{};
  Time end{};
};

/// Time that at least one of the intervals covers.
[[nodiscard]] inline Time covered(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::begin);
  Time sum{};
  Time until{};
  for (const Interval& interval : intervals) {
    const Time from = std::max(interval.begin, until);
    sum += std::max(interval.end - from, Time{});
    until = std::max(until, interval.end);
  }
  return sum;
}

}  // namespace kbsim::evaluate
