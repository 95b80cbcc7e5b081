#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kbsim/base/dtype.hpp"

namespace kbsim::replay {

/// The elements of a value, row-major, as they lie in memory.
using Buffer = std::vector<std::byte>;

/// How a number gets from one dtype into another, in casts and here alike:
/// - into floats: rounded once, to nearest even. Beyond the range: infinity; in f8e4m3, which has none
///   (OCP FP8, "fn"), NaN. Or toward zero, where a cast says so, and never beyond. Every NaN becomes the
///   dtype's positive quiet NaN.
/// - floats into integers: toward zero, saturating; NaN becomes 0. Integers into integers: modulo 2^bits.
/// - into bool: whether it isn't 0 (NaN isn't).

/// One element of a buffer as a double (i64 rounded). Throws InternalError outside the buffer.
[[nodiscard]] double element(const Buffer& buffer, DType dtype, std::int64_t index);

[[nodiscard]] Buffer from_doubles(std::span<const double> numbers, DType dtype);

/// The size of `bytes` is a multiple of the item's, else InternalError.
[[nodiscard]] std::vector<double> to_doubles(std::span<const std::byte> bytes, DType dtype);

}  // namespace kbsim::replay
