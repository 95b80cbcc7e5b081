// Attention over a cache of keys and values with one row per token: all heads at once, keys block by block.
#include <algorithm>

#include "kbsim/kernels/online_softmax.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/operator_args.hpp"

namespace kbsim {
namespace {

using attention::kUnseen;
using attention::Running;
using attention::zero_before_keys;

// Regroups [tokens, heads, d] by the heads that share keys: [h_kv, group * tokens, d].
Tile by_heads(TL& tl, const Tile& rows, const CachedAttentionArgs& args) {
  const std::int64_t tokens = rows.shape()[0];
  const std::int64_t group = args.h_q / args.h_kv;
  const Tile split = tl.reshape(rows, {tokens, args.h_kv, group, args.d});
  return tl.reshape(tl.permute(split, {1, 2, 0, 3}), {args.h_kv, group * tokens, args.d});
}

Tile by_tokens(TL& tl, const Tile& heads, std::int64_t tokens, const CachedAttentionArgs& args) {
  const Tile split = tl.reshape(heads, {args.h_kv, args.h_q / args.h_kv, tokens, args.d});
  return tl.reshape(tl.permute(split, {2, 0, 1, 3}), {tokens, args.h_q * args.d});
}

// Keys [n, h_kv * d] as [h_kv, d, n], values as [h_kv, n, d].
Tile keys_of(TL& tl, const Tile& rows, const CachedAttentionArgs& args) {
  return tl.permute(tl.reshape(rows, {rows.shape()[0], args.h_kv, args.d}), {1, 2, 0});
}
Tile values_of(TL& tl, const Tile& rows, const CachedAttentionArgs& args) {
  return tl.permute(tl.reshape(rows, {rows.shape()[0], args.h_kv, args.d}), {1, 0, 2});
}

// The scores, with kUnseen where a key is later than the query. Rows begin at `query`, columns at `key`.
Tile masked(TL& tl, const Tile& scores, std::int64_t tokens, std::int64_t query, std::int64_t key) {
  const Shape shape = scores.shape();
  const std::int64_t keys = shape[2];
  if (key + keys <= query + 1) return scores;
  const Tile rows = tl.reshape(tl.arange(query, query + tokens), {1, 1, tokens, 1});
  const Tile columns = tl.reshape(tl.arange(key, key + keys), {1, 1, 1, keys});
  const Tile split = tl.reshape(scores, {shape[0], shape[1] / tokens, tokens, keys});
  return tl.reshape(tl.where(columns <= rows, split, kUnseen), shape);
}

Running with_keys(TL& tl, const Tile& scores, const Tile& v, const Running& before) {
  const Tile largest = tl.maximum(before.largest, tl.max(scores, {.axis = 2, .keep_dims = true}));
  const Tile p = tl.exp(scores - largest);
  const Tile fade = tl.exp(before.largest - largest);
  const Tile sum = before.sum * fade + tl.sum(p, {.axis = 2, .keep_dims = true});
  return {.largest = largest, .sum = sum, .out = tl.dot(p.to(v.dtype()), v, before.out * fade)};
}

Task<> cached_attention(TL& tl, CachedAttentionArgs args) {
  const std::int64_t width = args.h_kv * args.d;
  for (std::int64_t row = 0; row < args.s_q; row += args.block_queries) {
    const std::int64_t tokens = std::min(args.block_queries, args.s_q - row);
    const std::int64_t query = args.first_query + row;
    const std::int64_t q_width = args.h_q * args.d;
    const Tile q_rows = co_await tl.load(args.q + row * q_width, {tokens, q_width}, args.q.dtype);
    const Tile q = by_heads(tl, q_rows, args);
    const std::int64_t rows = q.shape()[1];
    Running so_far{.largest = tl.full({args.h_kv, rows, 1}, kUnseen),
                   .sum = tl.zeros({args.h_kv, rows, 1}),
                   .out = tl.zeros({args.h_kv, rows, args.d})};
    const std::int64_t end = args.causal ? std::min(args.s_kv, query + tokens) : args.s_kv;
    for (std::int64_t key = 0; key < end; key += args.block_keys) {
      const std::int64_t n = std::min(args.block_keys, end - key);
      auto k_coming = tl.load(args.k + key * width, {n, width}, args.k.dtype);
      auto v_coming = tl.load(args.v + key * width, {n, width}, args.v.dtype);
      const Tile k = co_await k_coming;
      const Tile scores = tl.dot(q, keys_of(tl, k, args)) * args.scale;
      const Tile seen = args.causal ? masked(tl, scores, tokens, query, key) : scores;
      const Tile v = co_await v_coming;
      so_far = with_keys(tl, seen, values_of(tl, v, args), so_far);
    }
    const Tile mixed = by_tokens(tl, so_far.out / so_far.sum, tokens, args);
    const Tile out = zero_before_keys(tl, mixed, args.causal ? query : 0);
    co_await tl.store(args.out + row * q_width, out.to(args.out.dtype));
  }
}
KBSIM_KERNEL(cached_attention, "attention of some tokens over a cache of keys and values, grouped heads");

}  // namespace
}  // namespace kbsim
