#pragma once

#include <span>

#include "kbsim/base/dtype.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/replay/numbers.hpp"

namespace kbsim::replay {

/// `op` on arrays of one dtype, aligned for it; `b` has as many elements as `a`, or one.
/// f16 and bf16 compute in f32 and round once. A NaN result is the positive quiet NaN, whatever the inputs'.
/// maximum and minimum ignore a NaN beside a number, and -0 is less than +0. Integers wrap around, and
/// divide toward zero; by zero is a KernelFault. Unsupported for f8 and bool.
[[nodiscard]] Buffer binary(oplog::BinaryOp op, std::span<const std::byte> a, std::span<const std::byte> b,
                            DType dtype);

}  // namespace kbsim::replay
