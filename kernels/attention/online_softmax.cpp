// Softmax over keys that arrive in blocks: the sums so far are rescaled to the largest score.
#include "kbsim/kernels/online_softmax.hpp"

namespace kbsim::attention {

Running over_no_keys(TL& tl, std::int64_t rows, std::int64_t d) {
  return {.largest = tl.full({rows, 1}, kUnseen), .sum = tl.zeros({rows, 1}), .out = tl.zeros({rows, d})};
}

Running attend(TL& tl, const Tile& scores, const Tile& v, const Running& before) {
  const Tile largest = tl.maximum(before.largest, tl.max(scores, {.axis = 1, .keep_dims = true}));
  const Tile p = tl.exp(scores - largest);
  const Tile fade = tl.exp(before.largest - largest);
  const Tile sum = before.sum * fade + tl.sum(p, {.axis = 1, .keep_dims = true});
  return {.largest = largest, .sum = sum, .out = tl.dot(p.to(v.dtype()), v, before.out * fade)};
}

Running attend(TL& tl, const Tile& products, double scale, const Tile& v, const Running& before) {
  const Tile largest = tl.maximum(before.largest, tl.max(products, {.axis = 1, .keep_dims = true}) * scale);
  const Tile p = tl.exp(tl.fma(products, scale, -largest));
  const Tile fade = tl.exp(before.largest - largest);
  const Tile sum = tl.fma(before.sum, fade, tl.sum(p, {.axis = 1, .keep_dims = true}));
  return {.largest = largest, .sum = sum, .out = tl.dot(p.to(v.dtype()), v, before.out * fade)};
}

Running attend_first(TL& tl, const Tile& products, double scale, const Tile& v) {
  const Tile largest = tl.max(products, {.axis = 1, .keep_dims = true}) * scale;
  const Tile p = tl.exp(tl.fma(products, scale, -largest));
  return {.largest = largest,
          .sum = tl.sum(p, {.axis = 1, .keep_dims = true}),
          .out = tl.dot(p.to(v.dtype()), v)};
}

Tile zero_before_keys(TL& tl, const Tile& result, std::int64_t first) {
  if (first >= 0) return result;
  const std::int64_t rows = result.shape()[0];
  return tl.where(tl.reshape(tl.arange(first, first + rows), {rows, 1}) >= 0, result, 0.0);
}

Running merge(TL& tl, const Running& a, const Running& b) {
  const Tile largest = tl.maximum(a.largest, b.largest);
  const Tile fade_a = tl.exp(a.largest - largest);
  const Tile fade_b = tl.exp(b.largest - largest);
  return {.largest = largest, .sum = a.sum * fade_a + b.sum * fade_b, .out = a.out * fade_a + b.out * fade_b};
}

}  // namespace kbsim::attention
