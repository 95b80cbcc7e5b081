// Logits of each row and their largest, on all PEs of a package: each reads its rows of the vocabulary once.
#include <algorithm>
#include <limits>

#include "kbsim/kernels/llm/panel_gather.hpp"
#include "kbsim/kernels/llm/vocabulary.hpp"
#include "kbsim/kernels/llm/weight_stream.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm::heads {
namespace {

constexpr std::int64_t kWordsAtOnce = 32;  // a tile's rows of the GEMM engine

// This PE's words of the vocabulary.
Part own_words(const HeadRowsArgs& args, PePlace at) {
  return part_of(part_of(args.vocabulary, at.cube, args.grid.cubes()), at.pe, args.grid.pes);
}

std::vector<WeightBlock> blocks_of(const HeadRowsArgs& args, const std::vector<Part>& words) {
  std::vector<WeightBlock> blocks;
  for (const Part& some : words)
    blocks.push_back({args.w + some.begin * args.x.cols, some.size, args.x.cols, args.x.cols});
  return blocks;
}

// All of x as [columns, rows], on every PE.
Task<Tile> transposed(TL& tl, HeadRowsArgs args, PePlace at) {
  PanelGather gather{tl,
                     {.grid = args.grid,
                      .from = args.x,
                      .columns = {0, args.x.cols},
                      .buffer = args.scratch.of(args.grid, at)}};
  co_await gather.done();
  const Tile x = co_await gather.block({0, args.x.rows}, {0, args.x.cols});
  co_return args.x.rows == 1 ? tl.reshape(x, {args.x.cols, 1}) : tl.trans(x);
}

// The largest logit of each row so far, and its word, [1, rows]: the lowest of equals if words ascend.
struct Best {
  Tile logit;
  Tile word;
};

Best none(TL& tl, std::int64_t rows, DType dtype) {
  return {tl.full({1, rows}, -std::numeric_limits<double>::infinity(), dtype), tl.full({1, rows}, 0, i32)};
}

Best best_of(TL& tl, const Tile& logits, std::int64_t first) {
  return {tl.max(logits, {.axis = 0, .keep_dims = true}).to(logits.dtype()),
          tl.argmax(logits, {.axis = 0, .keep_dims = true}) + first};
}

Best better(TL& tl, const Best& before, const Best& next) {
  const Tile more = next.logit > before.logit;
  return {tl.where(more, next.logit, before.logit), tl.where(more, next.word, before.word)};
}

Task<Best> best_along(TL& tl, PeGrid grid, Along along, Best own) {
  Tiles logits = co_await exchange(tl, grid, along, own.logit);
  for (Tile& logit : logits) logit = logit.to(logit.dtype());  // out of its slot, which a word may need
  const Tiles words = co_await exchange(tl, grid, along, own.word);
  Best best{logits.front(), words.front()};
  for (std::size_t i = 1; i < logits.size(); ++i) best = better(tl, best, {logits[i], words[i]});
  co_return best;
}

// Stores logits [words, rows] as columns of this PE's slab [rows, its words].
Pending<void> store_logits(TL& tl, const HeadRowsArgs& args, Part own, Part words, const Tile& logits) {
  const std::int64_t rows = args.x.rows;
  const Ptr slab = args.logits + own.begin * rows;
  if (rows == 1) return tl.store(slab + (words.begin - own.begin), logits);
  const Descriptor all = tl.make_desc({.base = slab, .shape = {rows, own.size}, .block = {rows, words.size}});
  return all.store({0, words.begin - own.begin}, tl.trans(logits));
}

// Biases of words [words, 1], under way; nothing without.
Pending<Tile> load_bias(TL& tl, const HeadRowsArgs& args, const std::vector<Part>& words, std::size_t i) {
  if (!args.has_bias || i >= words.size()) return {};
  return tl.load(args.bias + words[i].begin, {words[i].size, 1}, args.bias.dtype);
}

Tile logits_of(const HeadRowsArgs& args, const Tile& sums, const Tile& bias) {
  Tile logits = bias.empty() ? sums : sums + bias.to(f32);
  if (args.multiplier != 1.0) logits = logits * args.multiplier;
  return logits.to(args.logits.dtype);
}

Task<> head_rows(TL& tl, HeadRowsArgs args) {
  const PePlace at = place_of(tl);
  const Part own = own_words(args, at);
  const std::vector<Part> words = cut_evenly(own, kWordsAtOnce);
  const Tile x = co_await transposed(tl, args, at);
  WeightStream weights{tl, blocks_of(args, words)};
  Best best = none(tl, args.x.rows, args.logits.dtype);
  Pending<void> stored;
  auto bias_loading = load_bias(tl, args, words, 0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Part some = words[i];
    const Tile w = co_await weights.next();
    const Tile bias = co_await bias_loading;
    bias_loading = load_bias(tl, args, words, i + 1);
    const Tile logits = logits_of(args, tl.dot(w, x), bias);
    best = better(tl, best, best_of(tl, logits, some.begin));
    co_await stored;
    if (args.stores_logits) stored = store_logits(tl, args, own, some, logits);
  }
  co_await stored;
  for (const Along along : {Along::cube, Along::row, Along::column})
    best = co_await best_along(tl, args.grid, along, best);
  if (at.cube != 0 || at.pe != 0) co_return;
  co_await tl.store(args.tokens, best.word);
  if (args.stores_largest) co_await tl.store(args.largest, best.logit);
}
KBSIM_KERNEL(head_rows, "logits of each row and the word of the largest, on all PEs of a package");

}  // namespace
}  // namespace kbsim::llm::heads
