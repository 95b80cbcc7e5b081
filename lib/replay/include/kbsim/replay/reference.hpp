#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kbsim::replay {

struct MatmulShape {
  std::int64_t m = 0, k = 0, n = 0;
};

/// [m, k] times [k, n], row-major, in f64: what a GEMM's result is held against. InternalError if the counts
/// of numbers don't fit.
[[nodiscard]] std::vector<double> matmul(std::span<const double> a, std::span<const double> b,
                                         MatmulShape shape);

}  // namespace kbsim::replay
