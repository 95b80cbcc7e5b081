#pragma once

#include <source_location>
#include <utility>

#include "kbsim/host/dtensor/dtensor.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host::dtensor {

/// Operators on DTensors of one mesh, with PyTorch's sharding rules: operands are redistributed to fitting
/// placements with the fewest elements sent (sharding_rules.hpp), the local operator runs, and the rule
/// places the result. Errors inside name the caller's line.
/// [.., K] times [K, N]; a contraction of chunks gives Partial.
[[nodiscard]] Task<DTensor> matmul(DTensor x, DTensor w, DTensor::Here at = DTensor::Here::current());
/// Shapes are equal, or one is a row; dtypes promote as in PyTorch. Partial sums and Partial averages are
/// added as they are; any other Partial is reduced first.
[[nodiscard]] Task<DTensor> add(DTensor a, DTensor b, DTensor::Here at = DTensor::Here::current());
/// The left operand of two, with its source location: operators can't take default arguments.
struct DTensorOperand {
  DTensorOperand(DTensor of,  // NOLINT(google-explicit-constructor)
                 DTensor::Here where = DTensor::Here::current())
      : tensor{std::move(of)}, at{where} {}
  DTensor tensor;
  DTensor::Here at;
};
[[nodiscard]] inline Task<DTensor> operator+(DTensorOperand a, DTensor b) {
  return add(std::move(a.tensor), std::move(b), a.at);
}
[[nodiscard]] Task<DTensor> relu(DTensor x, DTensor::Here at = DTensor::Here::current());
/// Over the last dimension, which is replicated first.
[[nodiscard]] Task<DTensor> softmax(DTensor x, DTensor::Here at = DTensor::Here::current());
[[nodiscard]] Task<DTensor> layer_norm(DTensor x, DTensor weight, DTensor bias, double eps = 1e-5,
                                       DTensor::Here at = DTensor::Here::current());

}  // namespace kbsim::host::dtensor
