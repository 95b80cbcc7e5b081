#pragma once

#include <cstdint>

#include "kbsim/base/shape.hpp"

namespace kbsim::replay {

/// An array as operations along one axis see it: `lines()` lines of `n` elements, `inner` apart.
struct Along {
  std::int64_t outer = 1;
  std::int64_t n = 1;
  std::int64_t inner = 1;

  Along(const Shape& shape, int axis) : n{shape[axis]} {
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  }
  [[nodiscard]] std::int64_t lines() const { return outer * inner; }
  /// The index of a line's first element.
  [[nodiscard]] std::int64_t begin(std::int64_t line) const {
    return line / inner * n * inner + line % inner;
  }
};

/// One line of numbers.
template <class W>
struct Line {
  W* first;
  std::int64_t size;
  std::int64_t stride;
  W& operator[](std::int64_t i) const { return first[i * stride]; }
};

}  // namespace kbsim::replay
