// Attention without the matrix of scores: keys arrive in blocks, and the sums so far are rescaled.
#include <algorithm>
#include <limits>

#include "kbsim/kernels/attention.hpp"
#include "kbsim/kernels/online_softmax.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::attention {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// The scores, with kNever for keys beyond the last one and, if causal, for keys after the query. Rows begin
// at position `first`.
Tile visible(TL& tl, const Tile& scores, std::int64_t first, std::int64_t key,
             const FlashAttentionArgs& args) {
  const Tile columns = tl.reshape(tl.arange(key, key + args.block_n), {1, args.block_n});
  Tile seen = columns < args.s_kv;
  if (args.causal) {
    const Tile rows = tl.reshape(tl.arange(first, first + args.block_m), {args.block_m, 1});
    seen = seen & (columns <= rows);
  }
  return tl.where(seen, scores, kNever);
}

Task<> flash_attention(TL& tl, FlashAttentionArgs args) {
  const auto blocks_of = [&](Ptr base, std::int64_t rows, std::int64_t block) {
    return tl.make_desc({.base = base, .shape = {rows, args.d}, .block = {block, args.d}});
  };
  const Descriptor Q = blocks_of(args.q, args.s_q, args.block_m);
  const Descriptor K = blocks_of(args.k, args.s_kv, args.block_n);
  const Descriptor V = blocks_of(args.v, args.s_kv, args.block_n);
  const Descriptor O = blocks_of(args.o, args.s_q, args.block_m);

  for (std::int64_t query = 0; query < args.s_q; query += args.block_m) {
    const Tile q = co_await Q.load({query, 0});
    const std::int64_t first = args.causal ? query + args.s_kv - args.s_q : 0;
    const std::int64_t keys =
        args.causal ? std::clamp<std::int64_t>(first + args.block_m, 0, args.s_kv) : args.s_kv;
    Running run{.largest = tl.full({args.block_m, 1}, kNever),
                .sum = tl.zeros({args.block_m, 1}),
                .out = tl.zeros({args.block_m, args.d})};
    Pending<Tile> next_k;
    Pending<Tile> next_v;
    if (keys > 0) {
      next_k = K.load({0, 0});
      next_v = V.load({0, 0});
    }
    for (std::int64_t key = 0; key < keys; key += args.block_n) {
      const Tile k = co_await next_k;
      const Tile v = co_await next_v;
      if (key + args.block_n < keys) {
        next_k = K.load({key + args.block_n, 0});
        next_v = V.load({key + args.block_n, 0});
      }
      const Tile scores = tl.dot(q, tl.trans(k)) * args.scale;
      run = attend(tl, visible(tl, scores, first, key, args), v, run);
    }
    const Tile result = zero_before_keys(tl, run.out / run.sum, first);
    co_await O.store({query, 0}, result.to(args.o.dtype));
  }
}
KBSIM_KERNEL(flash_attention, "softmax(Q K^T) V of one PE, keys in blocks, no matrix of scores");

}  // namespace
}  // namespace kbsim::attention
