#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "kbsim/base/error.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim {

/// The exact quantile by nearest rank: the smallest of the ascending values that the share `p` of them
/// (0 < p <= 1) doesn't exceed. InternalError if there are none.
template <class T>
[[nodiscard]] T nearest_rank(std::span<const T> ascending, double p) {
  ensure(!ascending.empty(), "a quantile of nothing");
  const auto n = static_cast<double>(ascending.size());
  const auto rank = static_cast<std::size_t>(std::clamp(std::ceil(p * n), 1.0, n));
  return ascending[rank - 1];
}

/// In picoseconds; the sum is exact. InternalError if there are none.
[[nodiscard]] inline double mean(std::span<const Time> times) {
  ensure(!times.empty(), "a mean of nothing");
  Time sum{};
  for (const Time t : times) sum += t;
  return static_cast<double>(sum.count()) / static_cast<double>(times.size());
}

}  // namespace kbsim
