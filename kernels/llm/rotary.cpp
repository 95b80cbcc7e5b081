// Rotary positions: each pair of elements of a head turns by an angle that grows with the row's position.
#include "kbsim/kernels/llm/rotary.hpp"

namespace kbsim::llm {

Angles::Angles(TL& tl, const RotaryTables& tables, Part positions) : tl_{tl}, dims_{tables.dims} {
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
                         Angles* angles)
    : tl_{tl}, angles_{*angles}, dtype_{from.of.base.dtype} {
  const std::int64_t half = angles->dims() / 2;
  const auto load = [&](std::optional<HeadLoad>& into, Part elements) {
    into.emplace(tl, grid, from, heads, rows, elements);
  };
  if (half == 0 || 2 * half == from.d) {
    load(whole_, {0, from.d});
    return;
  }
  load(low_, {0, half});
  load(high_, {half, half});
  load(rest_, {2 * half, from.d - 2 * half});
}

Task<Tile> RotatedLoad::tile() {
  if (low_) co_return co_await turned_pairs();
  if (angles_.dims() == 0) co_return co_await whole_->tile();
  co_return co_await turned_heads();
}

// Each element's pair is in another tile.
Task<Tile> RotatedLoad::turned_pairs() {
  const Tile low = co_await low_->tile();
  const Tile high = co_await high_->tile();
  const Tile cos = co_await angles_.cos();
  const Tile sin = co_await angles_.sin();
  const Tile a = low.to(f32);
  const Tile b = high.to(f32);
  const Tile turned = tl_.cat(a * cos - b * sin, b * cos + a * sin, {.axis = 2}).to(dtype_);
  const Tile rest = co_await rest_->tile();
  co_return tl_.cat(turned, rest, {.axis = 2});
}

// With heads as [2, half], an element is the sum of a pair times (cos, -sin), or times (sin, cos).
Task<Tile> RotatedLoad::turned_heads() {
  const Tile heads = co_await whole_->tile();
  const Tile cos_rows = co_await angles_.cos();
  const Tile sin_rows = co_await angles_.sin();
  const Tile cos = tl_.unsqueeze(cos_rows, 2);
  const Tile sin = tl_.unsqueeze(sin_rows, 2);
  const Shape shape = heads.shape();
  const Tile pairs = tl_.reshape(heads.to(f32), {shape[0], shape[1], 2, shape[2] / 2});
  const Tile low = tl_.sum(pairs * tl_.cat(cos, -sin, {.axis = 2}), {.axis = 2});
  const Tile high = tl_.sum(pairs * tl_.cat(sin, cos, {.axis = 2}), {.axis = 2});
  co_return tl_.cat(low, high, {.axis = 2}).to(dtype_);
}

}  // namespace kbsim::llm
