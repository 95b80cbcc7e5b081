#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kbsim/base/dtype.hpp"

namespace kbsim::replay {

/// An element is right if its error is within any one of these. An ulp is the distance of two neighbours of
/// the dtype at the expected number; 0.5 ulp asks for the correctly rounded result.
struct Tolerance {
  double abs = 0.0;
  double rel = 0.0;
  double ulp = 0.0;
};

/// Means over all elements.
struct Means {
  double got = 0.0;
  double expected = 0.0;
};
/// "got mean=1.500, expected=3.000"
[[nodiscard]] std::string to_text(const Means& means);

/// The largest errors over all elements, and the elements out of tolerance: the first (-1: none), how many.
struct Comparison {
  bool ok = true;
  double max_abs = 0.0;
  double max_rel = 0.0;
  double max_ulp = 0.0;
  std::int64_t first_bad = -1;
  std::int64_t wrong = 0;
  Means means;
};

/// Compares a result with its reference. NaN equals NaN, and an infinity equals a reference that the dtype
/// rounds to it; any other mismatch of these is an infinite error. Throws InternalError for unequal counts.
[[nodiscard]] Comparison compare(std::span<const std::byte> actual, std::span<const double> expected,
                                 DType dtype, const Tolerance& tolerance = {});

}  // namespace kbsim::replay
