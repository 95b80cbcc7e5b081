// Attention of many new rows on all PEs: keys and values of all splits are staged in TCM, then each PE
// attends for its rows and its cube's heads, one split after the other.
#include "kbsim/kernels/llm/prefill_attention.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <vector>

#include "kbsim/kernels/llm/block_softmax.hpp"
#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/key_blocks.hpp"
#include "kbsim/kernels/llm/pe_exchange.hpp"
#include "kbsim/kernels/llm/stage_keys.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm {
namespace {

using attention::Running;
using collective::InFlight;

// Rows of heads that share keys; row r of the tiles is head r % heads of row r / heads.
struct QueryBlock {
  Part rows;
  Part heads;  // of q
  std::int64_t kv_head = 0;
  Tile q;  // [d, rows * heads]
  Running run = {};
};

// Early rows see few positions if the mask is causal: each PE has a part of the early rows and, from the
// other end, one of the late rows.
std::vector<Part> own_rows(const PrefillAttentionArgs& args, int pe) {
  const int pes = args.cache.grid.pes;
  if (!args.causal) return {part_of(args.rows(), pe, pes)};
  return {part_of(args.rows(), pe, 2 * pes), part_of(args.rows(), 2 * pes - 1 - pe, 2 * pes)};
}

std::vector<QueryBlock> own_queries(const PrefillAttentionArgs& args, PePlace at) {
  const Part heads = part_of(args.heads, at.cube, args.cache.grid.cubes());
  const std::int64_t group = args.heads / args.cache.kv_heads;
  std::vector<QueryBlock> blocks;
  for (const Part& part : own_rows(args, at.pe)) {
    for (const Part& rows : cut_evenly(part, args.block_rows)) {
      for (std::int64_t kv_head = 0; kv_head < args.cache.kv_heads; ++kv_head) {
        const Part shared = common(heads, {kv_head * group, group});
        if (shared.size > 0) blocks.push_back({.rows = rows, .heads = shared, .kv_head = kv_head, .q = {}});
      }
    }
  }
  return blocks;
}

// The q of a block under way.
struct QueryLoad {
  QueryLoad(TL& tl, const PrefillAttentionArgs& args, const QueryBlock& block, HeadNorm* norm)
      : angles{tl, args.rotary, {args.context + block.rows.begin, block.rows.size}},
        rows{tl,
             args.cache.grid,
             HeadColumns{args.qkv, 0, args.cache.d}.from(block.heads.begin),
             block.heads.size,
             args.in_qkv(block.rows),
             &angles,
             norm} {}
  Angles angles;
  RotatedLoad rows;
};

Task<> load_queries(TL& tl, const PrefillAttentionArgs* args, std::vector<QueryBlock>* blocks) {
  constexpr std::size_t kAhead = 2;
  HeadNorm norm{tl, args->norms, args->norms.q, {args->rotary.dims, args->cache.d}};
  std::deque<QueryLoad> loads;
  std::size_t started = 0;
  for (QueryBlock& block : *blocks) {
    for (; started < blocks->size() && loads.size() < kAhead; ++started)
      loads.emplace_back(tl, *args, (*blocks)[started], &norm);
    const Tile q = co_await loads.front().rows.tile();
    loads.pop_front();
    const std::int64_t rows = block.rows.size * block.heads.size;
    block.q = tl.trans(tl.reshape(q, {rows, args->cache.d}));
    block.run = attention::over_no_keys(tl, rows, args->cache.d);
  }
}

// Positions of keys, [1, n], and of rows, [rows, 1].
Tile key_positions(TL& tl, const KvCache& cache, const KeyBlock& block) {
  const Tile slots = tl.reshape(tl.arange(block.slots.begin, block.slots.end()), {1, block.slots.size});
  const Tile splits = tl.reshape(tl.arange(block.splits.begin, block.splits.end()), {block.splits.size, 1});
  const Tile in_turn = slots % kCacheBlock + splits * kCacheBlock;
  const Tile turns = tl.floordiv(slots, kCacheBlock) * (cache.splits() * kCacheBlock);
  return tl.reshape(turns + in_turn, {1, block.size()});
}
Tile row_positions(TL& tl, const PrefillAttentionArgs& args, const QueryBlock& block) {
  const std::int64_t rows = block.rows.size * block.heads.size;
  const Tile numbers = tl.floordiv(tl.arange(0, rows), block.heads.size) + (args.context + block.rows.begin);
  return tl.reshape(numbers, {rows, 1});
}

// The keys that each row sees, [rows, n]; empty if all rows see all keys.
Tile seen(TL& tl, const PrefillAttentionArgs& args, const QueryBlock& rows, const KeyBlock& keys) {
  const std::int64_t first = args.cache.position_of(keys.splits.begin, keys.slots.begin);
  const std::int64_t last = args.cache.position_of(keys.splits.end() - 1, keys.slots.end() - 1);
  const bool later = args.causal && last > args.context + rows.rows.begin;
  const bool earlier = args.window > 0 && first <= args.context + rows.rows.end() - 1 - args.window;
  if (!later && !earlier) return {};
  const Tile key = key_positions(tl, args.cache, keys);
  const Tile row = row_positions(tl, args, rows);
  if (!earlier) return key <= row;
  return (key <= row) & (key + args.window > row);
}

// Staged keys that a block of rows sees, those of this cube's PEs first: they come while the others are on
// their way between cubes.
std::vector<KeyBlock> staged_keys(const PrefillAttentionArgs& args, const QueryBlock& rows, Part slots,
                                  PePlace at) {
  const KvCache& cache = args.cache;
  const Part staged{slots.begin * cache.splits(), slots.size * cache.splits()};
  const Part seen_here = common(args.seen_by(rows.rows), staged);
  std::vector<KeyBlock> blocks = blocks_of(cache, seen_here, args.block_keys);
  for (KeyBlock& block : blocks) {
    const StagePlace place{cache.pe_of(rows.kv_head, block.splits.begin), rows.kv_head};
    block.keys = staged_at(args, Staged::keys, place, block.slots.begin - slots.begin);
    block.values = staged_at(args, Staged::values, place, block.slots.begin - slots.begin);
    block.stride = args.stage.stride;
  }
  std::vector<KeyBlock> own_first;
  for (const bool own : {true, false}) {
    std::ranges::copy_if(blocks, std::back_inserter(own_first), [&](const KeyBlock& block) {
      const std::int64_t pe = cache.pe_of(rows.kv_head, block.splits.begin);
      return (pe / cache.grid.pes == at.cube) == own;
    });
  }
  return own_first;
}

Task<> attend(TL& tl, const PrefillAttentionArgs* args, QueryBlock* block, KeyBlocks* keys) {
  const auto range = tl.range("attend");
  BlockSoftmax softmax{tl, args->scale, block->run};
  while (keys->any()) {
    const KeyBlocks::Loaded loaded = co_await keys->next();
    softmax.add(tl.dot(loaded.keys, block->q), loaded.values, seen(tl, *args, *block, loaded.block));
  }
  block->run = softmax.result();
}

// The keys of the next block of rows come while the PE attends for this one.
Task<> attend_all(TL& tl, const PrefillAttentionArgs* args, PePlace at, Part slots,
                  std::vector<QueryBlock>* queries) {
  std::deque<KeyBlocks> keys;
  const auto start = [&](std::size_t i) {
    if (i < queries->size())
      keys.emplace_back(tl, staged_keys(*args, (*queries)[i], slots, at), args->cache.d);
  };
  start(0);
  for (std::size_t i = 0; i < queries->size(); ++i) {
    start(i + 1);
    co_await attend(tl, args, &(*queries)[i], &keys.front());
    keys.pop_front();
  }
}

void store_result(TL& tl, const PrefillAttentionArgs& args, const QueryBlock& block, InFlight* stores) {
  const Tile out = block.run.out / block.run.sum;
  const Tile rows =
      tl.reshape(out.to(args.out.base.dtype), {block.rows.size, block.heads.size * args.cache.d});
  store_block(tl, args.cache.grid, args.out,
              {args.in_qkv(block.rows).begin, block.heads.begin * args.cache.d}, rows, stores);
}

// All rows of the first sequence.
Task<> attend_to_sequence(TL& tl, PrefillAttentionArgs args, PePlace at, InFlight* stores) {
  std::vector<QueryBlock> queries = own_queries(args, at);
  const std::vector<Part> stages = stages_of(args);
  for (const Part& slots : stages) {
    co_await stage_keys(tl, args, at, slots);
    if (slots == stages.front()) co_await load_queries(tl, &args, &queries);
    co_await tl.barrier();
    co_await attend_all(tl, &args, at, slots, &queries);
    if (slots != stages.back()) co_await tl.barrier();
  }
  for (QueryBlock& block : queries) {
    store_result(tl, args, block, stores);
    block = {};  // its tiles
    co_await stores->end_step();
  }
}

Task<> prefill_attention(TL& tl, PrefillAttentionArgs args) {
  tl.check(args.heads % args.cache.kv_heads == 0, "heads isn't a multiple of kv_heads");
  tl.check(args.rows_each > 0 || args.qkv.rows % args.sequences == 0,
           "sequences have different numbers of rows");
  tl.check(args.causal || args.window == 0, "a window needs causal attention");
  tl.check(args.stage_slots >= kCacheBlock, "the stage is smaller than a block of the cache");
  tl.check(args.end() <= args.cache.capacity, "the rows don't fit the cache's capacity");
  const PePlace at = place_of(tl);
  InFlight stores;
  PrefillAttentionArgs one = args;
  for (std::int64_t i = 0; i < args.sequences; ++i) {
    if (i > 0) co_await tl.barrier();
    co_await attend_to_sequence(tl, one, at, &stores);
    ++one.sequence;
    one.first_row += one.rows();
  }
  co_await stores.done();
}
KBSIM_KERNEL(
    prefill_attention,
    "attention of many new rows of sequences over the cache and one another, on all PEs of a package");

}  // namespace
}  // namespace kbsim::llm
