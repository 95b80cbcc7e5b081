#pragma once

#include <concepts>
#include <optional>
#include <source_location>
#include <utility>
#include <variant>

#include "kbsim/host/dtensor/dtensor.hpp"
#include "kbsim/host/tensor_operators.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host::dtensor {

/// Operators on DTensors of one mesh, with PyTorch's sharding rules: operands are redistributed to fitting
/// placements with the fewest elements sent (sharding_rules.hpp), the local operator runs, and the rule
/// places the result. Errors inside name the caller's line.
/// [.., K] times [K, N]; a contraction of chunks gives Partial.
[[nodiscard]] Task<DTensor> matmul(DTensor x, DTensor w, DTensor::Here at = DTensor::Here::current());
/// A DTensor or a number, with its source location: operators can't take default arguments.
class DTensorOperand {
 public:
  using Here = DTensor::Here;
  DTensorOperand(DTensor of, Here where = Here::current())  // NOLINT(google-explicit-constructor)
      : at{where}, value_{std::move(of)} {}
  template <class T>
    requires std::integral<T> || std::floating_point<T>
  DTensorOperand(T number, Here where = Here::current())  // NOLINT(google-explicit-constructor)
      : at{where}, value_{Scalar{static_cast<double>(number), std::integral<T>}} {}

  [[nodiscard]] const DTensor* tensor() const { return std::get_if<DTensor>(&value_); }
  [[nodiscard]] const Scalar& scalar() const { return std::get<Scalar>(value_); }
  Here at;

 private:
  std::variant<DTensor, Scalar> value_;
};

/// Shapes are equal, or one is a row; dtypes promote as in PyTorch. Partial sums and averages stay where the
/// operation is linear: the sum of two, a product with a replicated operand or a number, a quotient by one.
/// Any other Partial is reduced first.
[[nodiscard]] Task<DTensor> add(DTensorOperand a, DTensorOperand b);
[[nodiscard]] Task<DTensor> sub(DTensorOperand a, DTensorOperand b);
[[nodiscard]] Task<DTensor> mul(DTensorOperand a, DTensorOperand b);
[[nodiscard]] Task<DTensor> div(DTensorOperand a, DTensorOperand b);
[[nodiscard]] inline Task<DTensor> operator+(DTensorOperand a, DTensorOperand b) {
  return add(std::move(a), std::move(b));
}
[[nodiscard]] inline Task<DTensor> operator-(DTensorOperand a, DTensorOperand b) {
  return sub(std::move(a), std::move(b));
}
[[nodiscard]] inline Task<DTensor> operator*(DTensorOperand a, DTensorOperand b) {
  return mul(std::move(a), std::move(b));
}
[[nodiscard]] inline Task<DTensor> operator/(DTensorOperand a, DTensorOperand b) {
  return div(std::move(a), std::move(b));
}

/// `dim` none: over all elements, which gives a scalar. `keepdim`: reduced extents stay, as 1.
struct DimOptions {
  std::optional<int> dim = {};
  bool keepdim = false;
};
/// As the operators of tensors. Where the reduced dimension is sharded, the result is Partial: sum, avg (of
/// mean), max or min. norm reduces over the ranks at once.
[[nodiscard]] Task<DTensor> sum(DTensor x, DimOptions options = {},
                                DTensor::Here at = DTensor::Here::current());
[[nodiscard]] Task<DTensor> mean(DTensor x, DimOptions options = {},
                                 DTensor::Here at = DTensor::Here::current());
[[nodiscard]] Task<DTensor> norm(DTensor x, DimOptions options = {},
                                 DTensor::Here at = DTensor::Here::current());
[[nodiscard]] Task<DTensor> amax(DTensor x, DimOptions options = {},
                                 DTensor::Here at = DTensor::Here::current());
[[nodiscard]] Task<DTensor> amin(DTensor x, DimOptions options = {},
                                 DTensor::Here at = DTensor::Here::current());
/// torch.max(x) and torch.min(x): of all elements.
[[nodiscard]] inline Task<DTensor> max(DTensor x, DTensor::Here at = DTensor::Here::current()) {
  return amax(std::move(x), {}, at);
}
[[nodiscard]] inline Task<DTensor> min(DTensor x, DTensor::Here at = DTensor::Here::current()) {
  return amin(std::move(x), {}, at);
}

[[nodiscard]] Task<DTensor> relu(DTensor x, DTensor::Here at = DTensor::Here::current());
/// Over the last dimension, which is replicated first.
[[nodiscard]] Task<DTensor> softmax(DTensor x, DTensor::Here at = DTensor::Here::current());
[[nodiscard]] Task<DTensor> layer_norm(DTensor x, DTensor weight, DTensor bias, double eps = 1e-5,
                                       DTensor::Here at = DTensor::Here::current());

}  // namespace kbsim::host::dtensor
