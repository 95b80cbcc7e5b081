#pragma once

#include "kbsim/tl/operator_args.hpp"

#include "operator_launch.hpp"

namespace kbsim::host {

/// A reduction of the call's input over one dimension or all. The result is divided by `divisor`, then
/// rounded to `dtype`.
struct ReductionCall {
  ReductionArgs::Op op = ReductionArgs::Op::sum;
  std::optional<int> dim = {};
  bool keepdim = false;
  DType dtype = f32;
  double divisor = 1.0;
};
[[nodiscard]] PendingTensor launch_reduction(OperatorCall call, const ReductionCall& what);

/// The dtype of torch.sum, amax, ...: a sum of integers is i64.
[[nodiscard]] DType reduced_dtype(DType x, ReductionArgs::Op op);
/// The shape of x without a dimension that counts from 0, or without all.
[[nodiscard]] Shape reduced_shape(const Shape& x, std::optional<int> dim, bool keepdim);

}  // namespace kbsim::host
