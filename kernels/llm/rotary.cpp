// Rotary positions: each pair of elements of a head turns by an angle that grows with the row's position.
#include "kbsim/kernels/llm/rotary.hpp"

namespace kbsim::llm {

Angles::Angles(TL& tl, const RotaryTables& tables, Part positions)
    : tl_{tl}, dims_{tables.dims}, interleaved_{tables.interleaved} {
  if (dims_ == 0) return;
  const std::int64_t half = dims_ / 2;
  cos_ = tl.load(tables.cos + positions.begin * half, {positions.size, half}, tables.cos.dtype);
  sin_ = tl.load(tables.sin + positions.begin * half, {positions.size, half}, tables.sin.dtype);
}

Task<Tile> Angles::of(Pending<Tile>* rows) {
  const Tile tile = co_await *rows;
  co_return tl_.unsqueeze(tile, 1);
}

RotatedLoad::RotatedLoad(TL& tl, const PeGrid& grid, const HeadColumns& from, std::int64_t heads, Part rows,
                         Angles* angles, HeadNorm* norm)
    : tl_{tl}, angles_{*angles}, norm_{*norm}, dtype_{from.of.base.dtype} {
  const std::int64_t dims = angles->dims();
  norm->start();
  if (dims > 0) turning_.emplace(tl, grid, from, heads, rows, Part{0, dims});
  if (dims < from.d) others_.emplace(tl, grid, from, heads, rows, Part{dims, from.d - dims});
}

Task<Tile> RotatedLoad::tile() {
  Tile turning;
  Tile others;
  if (turning_) turning = co_await turning_->tile();
  if (others_) others = co_await others_->tile();
  co_await norm_.apply(&turning, &others);
  if (!others.empty() && others.dtype() != dtype_) others = others.to(dtype_);
  if (turning.empty()) co_return others;
  turning = co_await turned(turning);
  co_return others.empty() ? turning : tl_.cat(turning, others, {.axis = 2});
}

// Pairs are an axis of two elements, before that of the angles or after it. An element is the sum of its pair
// times (cos, -sin), or times (sin, cos).
Task<Tile> RotatedLoad::turned(Tile heads) {
  const Tile cos_rows = co_await angles_.cos();
  const Tile sin_rows = co_await angles_.sin();
  const int axis = angles_.interleaved() ? 3 : 2;
  const Tile cos = tl_.unsqueeze(cos_rows, axis);
  const Tile sin = tl_.unsqueeze(sin_rows, axis);
  const Shape shape = heads.shape();
  const std::int64_t half = shape[2] / 2;
  const Shape in_pairs = axis == 3 ? Shape{shape[0], shape[1], half, 2} : Shape{shape[0], shape[1], 2, half};
  const Tile pairs = tl_.reshape(heads.dtype() == f32 ? heads : heads.to(f32), in_pairs);
  const Tile low = tl_.sum(pairs * tl_.cat(cos, -sin, {.axis = axis}), {.axis = axis, .keep_dims = true});
  const Tile high = tl_.sum(pairs * tl_.cat(sin, cos, {.axis = axis}), {.axis = axis, .keep_dims = true});
  co_return tl_.reshape(tl_.cat(low, high, {.axis = axis}).to(dtype_), shape);
}

}  // namespace kbsim::llm
