#pragma once

#include <algorithm>
#include <cstdint>

#include "kbsim/tl/ptr.hpp"

namespace kbsim::llm {

/// Consecutive rows or columns.
struct Part {
  std::int64_t begin = 0;
  std::int64_t size = 0;
  [[nodiscard]] constexpr std::int64_t end() const { return begin + size; }
  friend constexpr bool operator==(const Part&, const Part&) = default;
};

/// One of `parts` parts, divided as placements of tensors are: the first ones have one more. May be empty.
[[nodiscard]] constexpr Part part_of(Part whole, std::int64_t index, std::int64_t parts) {
  const std::int64_t each = whole.size / parts;
  const std::int64_t more = whole.size % parts;
  return {whole.begin + index * each + std::min(index, more), each + (index < more ? 1 : 0)};
}
[[nodiscard]] constexpr Part part_of(std::int64_t size, std::int64_t index, std::int64_t parts) {
  return part_of(Part{0, size}, index, parts);
}

/// The elements that two parts share; of size 0 if none.
[[nodiscard]] constexpr Part common(Part a, Part b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max<std::int64_t>(std::min(a.end(), b.end()) - begin, 0)};
}

/// The PEs of a package that run an operation, as an argument of its kernel: cubes are numbered row by row of
/// a mesh of w columns and h rows, tl.program_id(1); PEs of a cube are tl.program_id(0). Their queues are
/// those of topology package_exchange, whose slots have `slot_bytes`.
struct PeGrid {
  int w = 1;
  int h = 1;
  int pes = 1;  // of each cube
  std::int64_t slot_bytes = 4096;

  [[nodiscard]] constexpr int cubes() const { return w * h; }
  [[nodiscard]] constexpr int all() const { return w * h * pes; }
};

/// A PE's place in a grid.
struct PePlace {
  int cube = 0;
  int pe = 0;
};

/// An activation [rows, cols] between operations: columns are divided over cubes, rows over the PEs of each
/// cube. A PE's part is row-major and contiguous in its own TCM; the host's tensor has `stride` elements for
/// each of the first `holders` PEs of each cube, which are as many as have rows at least; 0: for all PEs.
struct Activation {
  Ptr base;
  std::int64_t stride = 0;
  std::int64_t rows = 0, cols = 0;
  int holders = 0;

  [[nodiscard]] constexpr Part rows_of(const PeGrid& grid, int pe) const {
    return part_of(rows, pe, grid.pes);
  }
  [[nodiscard]] constexpr Part columns_of(const PeGrid& grid, int cube) const {
    return part_of(cols, cube, grid.cubes());
  }
  /// The first element of a PE's part, which only that PE sees; a PE without rows has none.
  [[nodiscard]] constexpr Ptr part(const PeGrid& grid, PePlace at) const {
    return base + (std::int64_t{at.cube} * (holders == 0 ? grid.pes : holders) + at.pe) * stride;
  }
};

/// The least stride that has room for every PE's part.
[[nodiscard]] constexpr std::int64_t stride_for(const PeGrid& grid, std::int64_t rows, std::int64_t cols) {
  return part_of(rows, 0, grid.pes).size * part_of(cols, 0, grid.cubes()).size;
}

/// Room in each PE's TCM that an operation uses as it likes while it runs: `stride` elements for each PE.
struct Scratch {
  Ptr base;
  std::int64_t stride = 0;

  [[nodiscard]] constexpr Ptr of(const PeGrid& grid, PePlace at) const {
    return base + (std::int64_t{at.cube} * grid.pes + at.pe) * stride;
  }
};

}  // namespace kbsim::llm
