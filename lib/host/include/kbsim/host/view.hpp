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

/// An index or a range in `x[…]`, and the place where it stands: operators can't take default arguments.
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

/// Consecutive elements of a shard, and where they are in a view of its tensor.
struct Piece {
  std::int64_t in_shard = 0;
  std::int64_t in_view = 0;
  std::int64_t count = 0;
  friend constexpr bool operator==(const Piece&, const Piece&) = default;
};

/// Rows of consecutive elements, one every `row_stride` of them in the tensor.
struct StridedRows {
  std::int64_t first = 0;
  std::int64_t row_stride = 0;
  friend constexpr bool operator==(const StridedRows&, const StridedRows&) = default;
};

/// Some elements of a row-major tensor, in its order, under a shape of their own. UsageError names an index,
/// axis or shape that can't be; a negative index counts from the end.
class View {
 public:
  /// All of it.
  explicit View(const Shape& tensor);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  /// True if it leaves out nothing, whatever its shape.
  [[nodiscard]] bool whole() const { return shape_.elements() == elements_of_tensor_; }
  /// True if its elements follow each other in the tensor.
  [[nodiscard]] bool contiguous() const { return stretches().size() == 1; }

  /// Without the first axis: what is at that index of it.
  [[nodiscard]] View at(std::int64_t index) const;
  [[nodiscard]] View slice(int axis, IndexRange range) const;
  /// The same elements under another shape; those must be contiguous.
  [[nodiscard]] View reshaped(const Shape& shape) const;

  /// As rows of its last axis, if all of them are equally far apart.
  [[nodiscard]] std::optional<StridedRows> rows() const;
  /// From its first element to its last, with what lies between them.
  [[nodiscard]] Stretch bounds() const;
  /// As few as there can be, in their order.
  [[nodiscard]] std::vector<Stretch> stretches() const;
  /// What a shard has of it, in the shard's order.
  [[nodiscard]] std::vector<Piece> pieces(const topology::ShardSpec& shard) const;

 private:
  Shape shape_;
  std::array<std::int64_t, Shape::kMaxRank> strides_{};
  std::int64_t first_ = 0;
  std::int64_t elements_of_tensor_ = 0;
};

}  // namespace kbsim::host
