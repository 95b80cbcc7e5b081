#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"

namespace kbsim {

/// A block of rows and columns of a tensor, stored row after row from an element of its range on.
struct LayoutBlock {
  std::int64_t row0 = 0;
  std::int64_t rows = 0;
  std::int64_t col0 = 0;
  std::int64_t cols = 0;
  std::int64_t offset = 0;  // elements from the start of the tensor's virtual range

  [[nodiscard]] std::int64_t elements() const { return rows * cols; }
  friend auto operator<=>(const LayoutBlock&, const LayoutBlock&) = default;
};

/// How a tensor lies in its virtual range if that isn't row-major: as a matrix whose columns are its last
/// axis, in the blocks that its placement has made.
class TensorLayout {
 public:
  /// The blocks cover the matrix; replicas may repeat them.
  TensorLayout(std::uint64_t va, DType dtype, Shape shape, std::string name, std::vector<LayoutBlock> blocks);

  [[nodiscard]] std::uint64_t va() const { return va_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The block that has the byte at that address; null if none has.
  [[nodiscard]] const LayoutBlock* block_at(std::uint64_t va) const;

  /// Consecutive elements of a row within a block: the first one's place in the range, and their number.
  using Run = std::function<void(std::int64_t offset, std::int64_t count)>;
  void row(std::int64_t row, std::int64_t first_col, std::int64_t count, const Run& run) const;

 private:
  std::uint64_t va_;
  DType dtype_;
  Shape shape_;
  std::string name_;
  std::vector<LayoutBlock> blocks_;     // by row, then by column
  std::vector<LayoutBlock> by_offset_;  // the same
};

}  // namespace kbsim
