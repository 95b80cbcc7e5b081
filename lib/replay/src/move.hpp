#pragma once

#include <cstddef>
#include <span>

#include "kbsim/oplog/op.hpp"

#include "aligned.hpp"

namespace kbsim::replay {

/// The elements of an operand, repeated to fill a shape that it broadcasts to; those given if they fill it
/// already, or are one element.
[[nodiscard]] Aligned broadcast_to(const oplog::Operand& what, std::span<const std::byte> bytes,
                                   const Shape& to);

}  // namespace kbsim::replay
