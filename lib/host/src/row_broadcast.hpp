#pragma once

#include <optional>

#include "kbsim/base/shape.hpp"

namespace kbsim::host {

/// Whether `row` is [N] or [1, .., N], and `of` is [.., N] with at least the same number of dimensions.
[[nodiscard]] bool is_row_of(const Shape& row, const Shape& of);

/// The shape of an operation on two tensors: equal shapes, or one is a row for all rows of the other. None
/// for shapes that don't fit.
[[nodiscard]] std::optional<Shape> broadcast(const Shape& a, const Shape& b);

}  // namespace kbsim::host
