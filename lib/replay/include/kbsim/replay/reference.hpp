#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kbsim::replay {

struct MatmulShape {
  std::int64_t m = 0, k = 0, n = 0;
};

/// [m, k] times [k, n], row-major, in f64: the reference for a GEMM's result. InternalError if the counts of
/// numbers don't fit.
[[nodiscard]] std::vector<double> matmul(std::span<const double> a, std::span<const double> b,
                                         MatmulShape shape);

struct AttentionShape {
  std::int64_t h_q = 1, h_kv = 1, s_q = 0, s_kv = 0, d = 0;
  double scale = 1.0;
  bool causal = false;  // query i sees keys up to s_kv - s_q + i; without such a key it gives 0
};

/// softmax(Q K^T * scale) V of each head, in f64: Q and the result [h_q, s_q, d], K and V [h_kv, s_kv, d];
/// h_q / h_kv heads of Q in a row share one of K and V. InternalError if the counts of numbers don't fit.
[[nodiscard]] std::vector<double> attention(std::span<const double> q, std::span<const double> k,
                                            std::span<const double> v, const AttentionShape& shape);

}  // namespace kbsim::replay
