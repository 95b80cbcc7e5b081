// Attention of one new row per sequence on all PEs: each split of a kv head attends to its own part of the
// cache, and what the splits found is combined along a tree.
#include "kbsim/kernels/llm/decode_attention.hpp"

#include <algorithm>
#include <deque>
#include <optional>

#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/key_blocks.hpp"
#include "kbsim/kernels/llm/new_keys.hpp"
#include "kbsim/kernels/llm/pe_exchange.hpp"
#include "kbsim/kernels/llm/split_tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm {
namespace {

using attention::Running;
using collective::InFlight;

struct Place {
  std::int64_t pe = 0;
  std::int64_t split = 0;
  Part heads;  // of keys and values
};

Place place_in(const KvCache& cache, PePlace at) {
  const std::int64_t pe = std::int64_t{at.cube} * cache.grid.pes + at.pe;
  return {.pe = pe, .split = cache.split_of(pe), .heads = cache.heads_of(pe)};
}

// A sequence and a kv head, and this PE's part of its keys.
class Item {
 public:
  Item(TL& tl, const DecodeAttentionArgs& args, const Place& at, std::int64_t sequence, std::int64_t head);
  [[nodiscard]] Task<Running> attend(InFlight* stores);

  const std::int64_t sequence;
  const std::int64_t head;

 private:
  [[nodiscard]] static std::vector<KeyBlock> cached(const DecodeAttentionArgs& args, const Place& at,
                                                    std::int64_t sequence, std::int64_t head);
  [[nodiscard]] std::int64_t group() const { return args_.heads / args_.cache.kv_heads; }
  [[nodiscard]] Part row() const { return {sequence, 1}; }
  [[nodiscard]] HeadColumns columns(std::int64_t column_head) const {
    return HeadColumns{args_.qkv, 0, args_.cache.d}.from(column_head);
  }
  [[nodiscard]] NewKeys::Args new_row() const;
  [[nodiscard]] Task<Running> with_own(Tile q, Running before, InFlight* stores);
  [[nodiscard]] Tile scores(const Tile& q, const Tile& keys) const;

  TL& tl_;
  const DecodeAttentionArgs& args_;
  KeyBlocks blocks_;
  Angles angles_;
  RotatedLoad q_;
  std::optional<NewKeys> own_;  // the new row's, on the split that has its position
  Ptr keys_at_, values_at_;     // their place in the cache
};

Item::Item(TL& tl, const DecodeAttentionArgs& args, const Place& at, std::int64_t which_sequence,
           std::int64_t which_head)
    : sequence{which_sequence},
      head{which_head},
      tl_{tl},
      args_{args},
      blocks_{tl, cached(args, at, sequence, head), args.cache.d},
      angles_{tl, args.rotary, {args.context_of(sequence), 1}},
      q_{tl, args.cache.grid, columns(head * group()), group(), row(), &angles_} {
  const std::int64_t position = args.context_of(sequence);
  tl.check(position < args.cache.capacity, "a sequence is longer than the cache's capacity");
  if (args.cache.split_at(position) != at.split) return;
  own_.emplace(tl, new_row());
  keys_at_ = args.cache.at(args.cache.keys, at.pe, sequence, head, args.cache.slot_at(position));
  values_at_ = args.cache.at(args.cache.values, at.pe, sequence, head, args.cache.slot_at(position));
}

NewKeys::Args Item::new_row() const {
  return {.grid = args_.cache.grid,
          .keys = columns(args_.heads + head),
          .values = columns(args_.heads + args_.cache.kv_heads + head),
          .rotary = args_.rotary,
          .rows = row(),
          .position = args_.context_of(sequence)};
}

std::vector<KeyBlock> Item::cached(const DecodeAttentionArgs& args, const Place& at, std::int64_t sequence,
                                   std::int64_t head) {
  const KvCache& cache = args.cache;
  const std::int64_t context = args.context_of(sequence);
  const std::int64_t first = args.window > 0 ? std::max<std::int64_t>(0, context + 1 - args.window) : 0;
  const Part slots = cache.slots_of(at.split, {first, context - first});
  std::vector<KeyBlock> blocks;
  for (const Part& part : cut_evenly(slots, args.block_keys)) {
    blocks.push_back({.keys = cache.at(cache.keys, at.pe, sequence, head, part.begin),
                      .values = cache.at(cache.values, at.pe, sequence, head, part.begin),
                      .splits = {at.split, 1},
                      .slots = part});
  }
  return blocks;
}

// [group, n] of q^T [d, group]: few columns, so turning the product costs less than turning the keys.
Tile Item::scores(const Tile& q, const Tile& keys) const { return tl_.trans(tl_.dot(keys, q)) * args_.scale; }

Task<Running> Item::with_own(Tile q, Running before, InFlight* stores) {
  const Tile k = co_await own_->keys();
  const Tile v = co_await own_->values();
  stores->add(tl_.store(keys_at_, k));
  stores->add(tl_.store(values_at_, v));
  co_return attention::attend(tl_, scores(q, k), v, before);
}

// The product of a block's keys is issued before the softmax of the block before it, which it runs beside.
Task<Running> Item::attend(InFlight* stores) {
  const auto range = tl_.range("attend");
  const Tile row_of_q = co_await q_.tile();
  const Tile q = tl_.trans(tl_.reshape(row_of_q, {group(), args_.cache.d}));
  Running run = attention::over_no_keys(tl_, group(), args_.cache.d);
  if (own_) run = co_await with_own(q, run, stores);
  Tile last_scores;
  Tile last_values;
  while (blocks_.any()) {
    const KeyBlocks::Loaded loaded = co_await blocks_.next();
    const Tile now = scores(q, loaded.keys);
    if (!last_scores.empty()) run = attention::attend(tl_, last_scores, last_values, run);
    last_scores = now;
    last_values = loaded.values;
  }
  if (!last_scores.empty()) run = attention::attend(tl_, last_scores, last_values, run);
  co_return run;
}

// Divides by the sum and stores the heads' columns of the sequence's row.
void store_result(TL& tl, const DecodeAttentionArgs& args, const Item& item, const Running& all,
                  InFlight* stores) {
  const Tile out = all.out / all.sum;
  const std::int64_t columns = out.shape().elements();
  const Tile row = tl.reshape(out.to(args.out.base.dtype), {1, columns});
  store_block(tl, args.cache.grid, args.out, {item.sequence, item.head * columns}, row, stores);
}

// An item that this PE has attended to and the splits haven't combined yet.
struct Found {
  const Item* item = nullptr;
  Running own;
};

Task<> finish(TL& tl, const DecodeAttentionArgs* args, Splits splits, Found found, InFlight* moves) {
  const std::int64_t root = found.item->sequence % splits.roots();
  const Running all = co_await combined(tl, splits, found.own, root, moves);
  if (!all.out.empty()) store_result(tl, *args, *found.item, all, moves);
  co_await moves->end_step();
}

Task<> decode_attention(TL& tl, DecodeAttentionArgs args) {
  tl.check(args.heads % args.cache.kv_heads == 0, "heads isn't a multiple of kv_heads");
  const PePlace here = place_of(tl);
  const Place at = place_in(args.cache, here);
  const Splits splits = splits_at(args.cache, here);
  const std::int64_t count = args.cache.sequences * at.heads.size;
  std::deque<Item> items;  // the one that was attended to, this one, the next one
  const auto start = [&](std::int64_t i) {
    if (i >= count) return;
    items.emplace_back(tl, args, at, i / at.heads.size, at.heads.begin + i % at.heads.size);
  };
  InFlight moves;
  Found found;
  start(0);
  for (std::int64_t i = 0; i < count; ++i) {
    Item& item = items.back();
    start(i + 1);
    const Running own = co_await item.attend(&moves);
    if (found.item != nullptr) {
      co_await finish(tl, &args, splits, found, &moves);
      items.pop_front();
    }
    found = {.item = &item, .own = own};
  }
  if (found.item != nullptr) co_await finish(tl, &args, splits, found, &moves);
  co_await moves.done();
}
KBSIM_KERNEL(decode_attention,
             "attention of one new row per sequence over the cache, on all PEs of a package");

}  // namespace
}  // namespace kbsim::llm
