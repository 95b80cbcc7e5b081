#pragma once

#include <cstddef>
#include <span>

#include "kbsim/base/dtype.hpp"

namespace kbsim::replay {

/// Fills `to` with the elements of `from` in another dtype, as numbers.hpp documents; both are aligned for
/// their items and have equally many.
void cast(std::span<const std::byte> from, DType from_type, std::span<std::byte> to, DType to_type);

/// The same for floats into narrower ones, rounded toward zero: beyond the range is the largest finite
/// number. Infinities and NaN as in cast().
void truncate(std::span<const std::byte> from, DType from_type, std::span<std::byte> to, DType to_type);

}  // namespace kbsim::replay
