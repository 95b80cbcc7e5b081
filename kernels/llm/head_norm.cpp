// Root-mean-square normalisation of each head of a tile.
#include "kbsim/kernels/llm/head_norm.hpp"

namespace kbsim::llm {
namespace {

Tile squares_along_heads(TL& tl, const Tile& x) { return tl.sum(x * x, {.axis = 2, .keep_dims = true}); }

}  // namespace

HeadNorm::HeadNorm(TL& tl, const HeadNormArgs& args, Ptr weight, Elements elements)
    : tl_{tl}, eps_{args.eps}, given_{args.given}, d_{elements.d} {
  if (!given_) return;
  const auto load = [&](Weights& part, std::int64_t first, std::int64_t size) {
    if (size > 0) part.loading = tl.load(weight + first, {size}, weight.dtype);
  };
  load(turning_, 0, elements.turning);
  load(others_, elements.turning, d_ - elements.turning);
}

Task<> HeadNorm::load(Weights* part) const {
  if (!part->tile.empty()) co_return;
  const Tile loaded = co_await part->loading;
  if (!loaded.empty()) part->tile = tl_.reshape(loaded.to(f32), {1, 1, loaded.shape()[0]});
}

// 1 / sqrt(mean of the squares + eps), [rows, heads, 1].
Tile HeadNorm::scale(const Tile& turning, const Tile& others) const {
  Tile sum = squares_along_heads(tl_, turning.empty() ? others : turning);
  if (!turning.empty() && !others.empty()) sum = sum + squares_along_heads(tl_, others);
  return tl_.rsqrt(sum * (1.0 / static_cast<double>(d_)) + eps_);
}

Task<> HeadNorm::apply(Tile* turning, Tile* others) {
  if (!given_) co_return;
  co_await load(&turning_);
  co_await load(&others_);
  if (!turning->empty()) *turning = turning->to(f32);
  if (!others->empty()) *others = others->to(f32);
  const Tile scaling = scale(*turning, *others);
  if (!turning->empty()) *turning = *turning * scaling * turning_.tile;
  if (!others->empty()) *others = *others * scaling * others_.tile;
}

}  // namespace kbsim::llm
