// Root-mean-square normalisation of each head of a tile.
#include "kbsim/kernels/llm/head_norm.hpp"

namespace kbsim::llm {
namespace {

Tile squares_along_heads(TL& tl, const Tile& x) { return tl.sum(x * x, {.axis = 2, .keep_dims = true}); }

}  // namespace

void HeadNorm::start() {
  if (!args_.given || started_) return;
  started_ = true;
  start(&turning_, 0, elements_.turning);
  start(&others_, elements_.turning, elements_.d - elements_.turning);
}

void HeadNorm::start(Weights* weights, std::int64_t first, std::int64_t size) {
  if (size > 0) weights->loading = tl_.load(weight_ + first, {size}, weight_.dtype);
}

Task<> HeadNorm::arrived(Weights* weights) {
  if (!weights->tile.empty()) co_return;
  const Tile loaded = co_await weights->loading;
  if (!loaded.empty()) weights->tile = tl_.reshape(loaded.to(f32), {1, 1, loaded.shape()[0]});
}

// 1 / sqrt(mean of the squares + eps), [rows, heads, 1].
Tile HeadNorm::scale(const Tile& turning, const Tile& others) const {
  Tile sum = squares_along_heads(tl_, turning.empty() ? others : turning);
  if (!turning.empty() && !others.empty()) sum = sum + squares_along_heads(tl_, others);
  return tl_.rsqrt(sum * (1.0 / static_cast<double>(elements_.d)) + args_.eps);
}

Task<> HeadNorm::apply(Tile* turning, Tile* others) {
  if (!args_.given) co_return;
  co_await arrived(&turning_);
  co_await arrived(&others_);
  if (!turning->empty()) *turning = turning->to(f32);
  if (!others->empty()) *others = others->to(f32);
  const Tile scaling = scale(*turning, *others);
  if (!turning->empty()) *turning = *turning * scaling * turning_.tile;
  if (!others->empty()) *others = *others * scaling * others_.tile;
}

}  // namespace kbsim::llm
