#pragma once

#include <string>
#include <string_view>

#include "kbsim/host/dtensor/dtensor.hpp"
#include "kbsim/host/tensor_operators.hpp"

#include "sharding_rules.hpp"

namespace kbsim::host::dtensor {

[[nodiscard]] Placed placed(const DTensor& x);

/// UsageError at the call's line. All ranks check the whole tensors, also ranks whose chunks are empty.
void require(bool holds, std::string_view call, DTensor::Here at, const std::string& why);
void require_one_mesh(const DTensor& a, const DTensor& b, std::string_view call, DTensor::Here at);
/// UsageError for a dtype that is for storage only.
void require_computable(const DTensor& x, std::string_view call, DTensor::Here at);

/// A result with the rule's placements, not computed yet. Shape, dtype and placements follow from the whole
/// operands', so that they are the same on all ranks.
struct LocalResult {
  DTensor like;  // mesh, dp
  Shape shape;
  DType dtype;
  Placements placements;

  [[nodiscard]] Shape local() const;
  [[nodiscard]] bool is_here() const { return local().elements() > 0; }
  [[nodiscard]] DTensor of(std::optional<Tensor> tensor) const;
};

/// For a rank whose operands have no elements: a sum over none is 0.
[[nodiscard]] Task<Tensor> filled(LocalResult result, double value, DTensor::Here at);

/// Applies an operator to the rank's part of one operand; the result has its shape.
[[nodiscard]] Task<DTensor> on_parts(DTensor x, ShardingRule rule,
                                     PendingTensor (*apply)(const TensorOperand&, OperatorOptions),
                                     DTensor::Here at);

}  // namespace kbsim::host::dtensor
