#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <source_location>
#include <vector>

#include "kbsim/base/shape.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::host {

/// Indices [begin, end) of an axis.
struct IndexRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// An index or a range in `x[…]`, with its source location: operators can't take default arguments.
struct IndexOperand {
  IndexOperand(std::int64_t i,  // NOLINT(google-explicit-constructor)
               std::source_location where = std::source_location::current())
      : index{i}, at{where} {}
  std::int64_t index;
  std::source_location at;
};
struct RangeOperand {
  RangeOperand(IndexRange of,  // NOLINT(google-explicit-constructor)
               std::source_location where = std::source_location::current())
      : range{of}, at{where} {}
  RangeOperand(std::int64_t begin, std::int64_t end,
               std::source_location where = std::source_location::current())
      : RangeOperand{IndexRange{begin, end}, where} {}
  IndexRange range;
  std::source_location at;
};

/// Consecutive elements of a row-major tensor.
struct Stretch {
  std::int64_t first = 0;
  std::int64_t count = 0;
  friend constexpr bool operator==(const Stretch&, const Stretch&) = default;
};

/// Consecutive elements of a shard, and their position in a view of its tensor.
struct Piece {
  std::int64_t in_shard = 0;
  std::int64_t in_view = 0;
  std::int64_t count = 0;
  friend constexpr bool operator==(const Piece&, const Piece&) = default;
};

/// Rows of consecutive elements, `row_stride` elements apart in the tensor.
struct StridedRows {
  std::int64_t first = 0;
  std::int64_t row_stride = 0;
  friend constexpr bool operator==(const StridedRows&, const StridedRows&) = default;
};

/// Some elements of a row-major tensor, in its order, under a shape of their own. UsageError names an invalid
/// index, axis or shape; a negative index counts from the end.
class View {
 public:
  /// All elements of the tensor.
  explicit View(const Shape& tensor);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  /// True if it has all elements of the tensor, under any shape.
  [[nodiscard]] bool whole() const { return shape_.elements() == elements_of_tensor_; }
  /// True if its elements follow each other in the tensor.
  [[nodiscard]] bool contiguous() const { return stretches().size() == 1; }

  /// The part at that index of the first axis, without that axis.
  [[nodiscard]] View at(std::int64_t index) const;
  [[nodiscard]] View slice(int axis, IndexRange range) const;
  /// The same elements under another shape. They must be contiguous.
  [[nodiscard]] View reshaped(const Shape& shape) const;

  /// The rows along its last axis, if all have the same distance.
  [[nodiscard]] std::optional<StridedRows> rows() const;
  /// From its first element to its last, with all elements between them.
  [[nodiscard]] Stretch bounds() const;
  /// The fewest stretches that have its elements, in their order.
  [[nodiscard]] std::vector<Stretch> stretches() const;
  /// The elements of it in a shard, in the shard's order.
  [[nodiscard]] std::vector<Piece> pieces(const topology::ShardSpec& shard) const;

  /// Whether both have the same elements in the same order and shape.
  friend bool operator==(const View&, const View&) = default;

 private:
  Shape shape_;
  std::array<std::int64_t, Shape::kMaxRank> strides_{};
  std::int64_t first_ = 0;
  std::int64_t elements_of_tensor_ = 0;
};

}  // namespace kbsim::host
