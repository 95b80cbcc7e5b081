#pragma once

#include "kbsim/base/dtype.hpp"
#include "kbsim/host/tensor_operators.hpp"

namespace kbsim::host {

/// The dtype of an operation on two tensors, or on a tensor and a number, as PyTorch promotes them. It
/// depends on dtypes alone, so it is the same on all ranks, also on ranks without elements.
[[nodiscard]] DType promoted(DType a, DType b);
[[nodiscard]] DType promoted(DType tensor, const Scalar& number);

[[nodiscard]] constexpr bool is_floating(DType t) { return info(t).floating; }
/// Dtypes for storage only, which no operator computes with.
[[nodiscard]] constexpr bool is_f8(DType t) { return info(t).floating && itemsize(t) == 1; }

}  // namespace kbsim::host
