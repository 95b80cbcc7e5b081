#pragma once

#include "kbsim/host/dtensor/dtensor.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host::dtensor {

/// Operators on DTensors of one mesh, with PyTorch's sharding rules: operands are redistributed to what fits
/// with the least sent (sharding_rules.hpp), the local operator runs, and the result is placed as the rule
/// says.
/// [.., K] times [K, N]; a contraction of chunks gives Partial.
[[nodiscard]] Task<DTensor> matmul(DTensor x, DTensor w);
/// Shapes are equal, or one is a row. Partial sums are added as they are.
[[nodiscard]] Task<DTensor> add(DTensor a, DTensor b);
[[nodiscard]] inline Task<DTensor> operator+(DTensor a, DTensor b) { return add(std::move(a), std::move(b)); }
[[nodiscard]] Task<DTensor> relu(DTensor x);
/// Over the last dimension, which each rank then has all of.
[[nodiscard]] Task<DTensor> softmax(DTensor x);
[[nodiscard]] Task<DTensor> layer_norm(DTensor x, DTensor weight, DTensor bias, double eps = 1e-5);

}  // namespace kbsim::host::dtensor
