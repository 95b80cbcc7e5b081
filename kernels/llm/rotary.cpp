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
    if (elements.size > 0) into.emplace(tl, grid, from, heads, rows, elements);
  };
  load(low_, {0, half});
  load(high_, {half, half});
  load(rest_, {2 * half, from.d - 2 * half});
}

Task<Tile> RotatedLoad::tile() {
  Tile turned;
  if (low_) turned = co_await rotated();
  if (!rest_) co_return turned;
  const Tile rest = co_await rest_->tile();
  co_return turned.empty() ? rest : tl_.cat(turned, rest, {.axis = 2});
}

Task<Tile> RotatedLoad::rotated() {
  const Tile low = co_await low_->tile();
  const Tile high = co_await high_->tile();
  const Tile cos = co_await angles_.cos();
  const Tile sin = co_await angles_.sin();
  const Tile a = low.to(f32);
  const Tile b = high.to(f32);
  const Tile turned = tl_.cat(a * cos - b * sin, b * cos + a * sin, {.axis = 2});
  co_return turned.to(dtype_);
}

}  // namespace kbsim::llm
