#include "kbsim/host/view.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/error.hpp"

namespace kbsim::host {
namespace {

using Extents = std::array<std::int64_t, Shape::kMaxRank>;

Extents row_major(const Shape& shape) {
  Extents strides{};
  std::int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

std::int64_t from_front(std::int64_t index, std::int64_t extent) {
  return index < 0 ? index + extent : index;
}

// Adds a piece, or lengthens the last one.
void append(std::vector<Piece>& pieces, const Piece& next) {
  if (!pieces.empty()) {
    Piece& last = pieces.back();
    if (last.in_shard + last.count == next.in_shard && last.in_view + last.count == next.in_view) {
      last.count += next.count;
      return;
    }
  }
  pieces.push_back(next);
}

// Adds the pieces of a stretch in a shard's block. The stretch begins at element `in_view` of a view.
void add_pieces(std::vector<Piece>& pieces, const Stretch& stretch, std::int64_t in_view,
                const topology::ShardSpec& shard) {
  const topology::Block& block = shard.block;
  const std::int64_t end = stretch.first + stretch.count;
  const std::int64_t first_row = std::max(stretch.first / shard.tensor_cols, block.row0);
  const std::int64_t last_row = std::min((end - 1) / shard.tensor_cols, block.row0 + block.rows - 1);
  for (std::int64_t row = first_row; row <= last_row; ++row) {
    const std::int64_t row_start = row * shard.tensor_cols;
    const std::int64_t from = std::max(stretch.first, row_start + block.col0);
    const std::int64_t to = std::min(end, row_start + block.col0 + block.cols);
    if (from >= to) continue;
    append(pieces, {.in_shard = (row - block.row0) * block.cols + (from - row_start - block.col0),
                    .in_view = in_view + (from - stretch.first),
                    .count = to - from});
  }
}

}  // namespace

View::View(const Shape& tensor)
    : shape_{tensor}, strides_{row_major(tensor)}, elements_of_tensor_{tensor.elements()} {}

View View::at(std::int64_t index) const {
  if (shape_.rank() == 0) throw UsageError{"an index of a scalar"};
  const std::int64_t i = from_front(index, shape_[0]);
  if (i < 0 || i >= shape_[0])
    throw UsageError{fmt::format("index {} is out of bounds for dimension 0 with size {}", index, shape_[0])};
  View result = *this;
  result.first_ += i * strides_[0];
  result.shape_ = Shape::of(shape_.extents().subspan(1));
  std::shift_left(result.strides_.begin(), result.strides_.end(), 1);
  return result;
}

View View::slice(int axis, IndexRange range) const {
  const auto which = static_cast<int>(from_front(axis, shape_.rank()));
  if (which < 0 || which >= shape_.rank())
    throw UsageError{fmt::format("dimension {} of a tensor with {} of them", axis, shape_.rank())};
  const std::int64_t extent = shape_[which];
  const std::int64_t begin = from_front(range.begin, extent);
  const std::int64_t end = from_front(range.end, extent);
  if (begin < 0 || end > extent || begin >= end) {
    throw UsageError{fmt::format("slice {}:{} of dimension {} with size {} has no elements or leaves it",
                                 range.begin, range.end, which, extent)};
  }
  View result = *this;
  result.first_ += begin * strides_[static_cast<std::size_t>(which)];
  Extents extents{};
  std::ranges::copy(shape_.extents(), extents.begin());
  extents[static_cast<std::size_t>(which)] = end - begin;
  result.shape_ = Shape::of({extents.data(), static_cast<std::size_t>(shape_.rank())});
  return result;
}

View View::reshaped(const Shape& shape) const {
  if (std::ranges::any_of(shape.extents(), [](std::int64_t extent) { return extent < 1; })) {
    throw UsageError{fmt::format("shape {} is invalid for {}: write each extent, which is at least 1",
                                 to_string(shape), to_string(shape_))};
  }
  if (shape.count() != shape_.count()) {
    throw UsageError{fmt::format("shape {} is invalid for {} of {} elements", to_string(shape),
                                 to_string(shape_), shape_.elements())};
  }
  if (!contiguous())
    throw UsageError{fmt::format("{} as {}: its elements aren't contiguous; copy it to a tensor of its own",
                                 to_string(shape_), to_string(shape))};
  View result = *this;
  result.shape_ = shape;
  result.strides_ = row_major(shape);
  return result;
}

std::optional<StridedRows> View::rows() const {
  const auto rank = static_cast<std::size_t>(shape_.rank());
  if (rank == 0) return StridedRows{.first = first_, .row_stride = 1};
  if (shape_[shape_.rank() - 1] > 1 && strides_[rank - 1] != 1) return {};
  std::int64_t stride = 0;  // row stride by the axes so far, innermost first
  std::int64_t next = 0;    // stride that the next axis must have
  for (std::size_t axis = rank - 1; axis-- > 0;) {
    if (shape_[static_cast<int>(axis)] == 1) continue;
    if (stride == 0)
      stride = strides_[axis];
    else if (strides_[axis] != next)
      return {};
    next = strides_[axis] * shape_[static_cast<int>(axis)];
  }
  return StridedRows{.first = first_, .row_stride = stride == 0 ? shape_[shape_.rank() - 1] : stride};
}

// Each row along the last axis is consecutive; rows that adjoin are joined.
Stretch View::bounds() const {
  std::int64_t last = first_;
  for (const auto& [extent, stride] : ranges::views::zip(shape_.extents(), strides_))
    last += (extent - 1) * stride;
  return {.first = first_, .count = last + 1 - first_};
}

std::vector<Stretch> View::stretches() const {
  const int rank = shape_.rank();
  const std::int64_t row = rank == 0 ? 1 : shape_[rank - 1];
  std::vector<Stretch> all;
  Extents index{};
  for (;;) {
    std::int64_t first = first_;
    for (std::size_t axis = 0; axis + 1 < static_cast<std::size_t>(rank); ++axis)
      first += index[axis] * strides_[axis];
    if (!all.empty() && all.back().first + all.back().count == first) {
      all.back().count += row;
    } else {
      all.push_back({first, row});
    }
    int axis = rank - 2;
    while (axis >= 0 && ++index[static_cast<std::size_t>(axis)] == shape_[axis])
      index[static_cast<std::size_t>(axis--)] = 0;
    if (axis < 0) return all;
  }
}

std::vector<Piece> View::pieces(const topology::ShardSpec& shard) const {
  std::vector<Piece> all;
  std::int64_t in_view = 0;
  for (const Stretch& stretch : stretches()) {
    add_pieces(all, stretch, in_view, shard);
    in_view += stretch.count;
  }
  return all;
}

}  // namespace kbsim::host
