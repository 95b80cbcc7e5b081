#include "kbsim/oplog/rules.hpp"

#include <algorithm>

namespace kbsim::oplog {
namespace {

using Extents = std::array<std::int64_t, Shape::kMaxRank>;

// The extent of the axis that is `from_last` axes before the last; 1 where there is none.
std::int64_t extent(const Shape& shape, int from_last) {
  return from_last < shape.rank() ? shape[shape.rank() - 1 - from_last] : 1;
}

Shape first_of(const Extents& extents, int rank) {
  return Shape::of(std::span{extents}.first(static_cast<std::size_t>(rank)));
}

}  // namespace

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Extents extents{};
  for (int i = 0; i < rank; ++i) {
    const std::int64_t x = extent(a, i);
    const std::int64_t y = extent(b, i);
    if (x != y && x != 1 && y != 1) return std::nullopt;
    extents[static_cast<std::size_t>(rank - 1 - i)] = x == 1 ? y : x;
  }
  return first_of(extents, rank);
}

Shape reduced(const Shape& shape, int axis, bool keep_dims) {
  if (keep_dims) return with_extent(shape, axis, 1);
  Extents extents{};
  for (int i = 0; i < shape.rank(); ++i) {
    if (i != axis) extents[static_cast<std::size_t>(i < axis ? i : i - 1)] = shape[i];
  }
  return first_of(extents, shape.rank() - 1);
}

Shape with_extent(const Shape& shape, int axis, std::int64_t extent) {
  Extents extents{};
  std::ranges::copy(shape.extents(), extents.begin());
  extents[static_cast<std::size_t>(axis)] = extent;
  return first_of(extents, shape.rank());
}

std::optional<Shape> permuted(const Shape& shape, const std::array<std::int8_t, Shape::kMaxRank>& axes) {
  Extents extents{};
  std::array<bool, Shape::kMaxRank> seen{};
  for (int i = 0; i < shape.rank(); ++i) {
    const int axis = axes[static_cast<std::size_t>(i)];
    if (axis < 0 || axis >= shape.rank() || seen[static_cast<std::size_t>(axis)]) return std::nullopt;
    seen[static_cast<std::size_t>(axis)] = true;
    extents[static_cast<std::size_t>(i)] = shape[axis];
  }
  return first_of(extents, shape.rank());
}

std::optional<Shape> product(const Shape& a, const Shape& b) {
  const int rank = a.rank();
  if (rank < 2 || b.rank() != rank || a[rank - 1] != b[rank - 2]) return std::nullopt;
  for (int i = 0; i < rank - 2; ++i) {
    if (a[i] != b[i]) return std::nullopt;
  }
  return with_extent(a, rank - 1, b[rank - 1]);
}

bool is_comparison(BinaryOp op) { return row_of(op).compares; }

bool gives_index(ReduceOp op) { return row_of(op).gives_index; }

bool applies(UnaryOp op, DType dtype) { return includes(row_of(op).of, dtype); }
bool applies(BinaryOp op, DType dtype) { return includes(row_of(op).of, dtype); }
bool applies(TernaryOp op, DType dtype) { return includes(row_of(op).of, dtype); }

bool makes_narrower(DType from, DType to) {
  return info(from).floating && info(to).floating && itemsize(to) < itemsize(from);
}

std::optional<DType> accumulator(DType dtype) {
  if (dtype == DType::f64) return DType::f64;
  if (info(dtype).floating) return DType::f32;
  if (dtype == DType::i8 || dtype == DType::u8) return DType::i32;
  return std::nullopt;
}

}  // namespace kbsim::oplog
