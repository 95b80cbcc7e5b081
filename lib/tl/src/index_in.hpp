#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kbsim/base/shape.hpp"

namespace kbsim {

/// Index of an element, by its number in row-major order.
[[nodiscard]] inline Shape index_in(const Shape& shape, std::int64_t element) {
  std::array<std::int64_t, Shape::kMaxRank> index{};
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[static_cast<std::size_t>(axis)] = element % shape[axis];
    element /= shape[axis];
  }
  return Shape::of(std::span{index}.first(static_cast<std::size_t>(shape.rank())));
}

}  // namespace kbsim
