// Attention of one new row per sequence on all PEs: each split of a kv head attends to its own part of the
// cache, and what the splits found is combined along a tree.
#include "kbsim/kernels/llm/decode_attention.hpp"

#include <algorithm>
#include <deque>
#include <optional>

#include "kbsim/kernels/llm/block_softmax.hpp"
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

// Norms of each head of q and of k.
struct Norms {
  Norms(TL& tl, const DecodeAttentionArgs& args)
      : q{tl, args.norms, args.norms.q, {args.rotary.dims, args.cache.d}},
        k{tl, args.norms, args.norms.k, {args.rotary.dims, args.cache.d}} {}
  HeadNorm q, k;
};

Place place_in(const KvCache& cache, PePlace at) {
  const std::int64_t pe = std::int64_t{at.cube} * cache.grid.pes + at.pe;
  return {.pe = pe, .split = cache.split_of(pe), .heads = cache.heads_of(pe)};
}

// A sequence and a kv head, and this PE's part of its keys.
class Item {
 public:
  Item(TL& tl, const DecodeAttentionArgs& args, const Place& at, Norms* norms, std::int64_t sequence,
       std::int64_t head);
  /// Issues the products of q with the first keys, which pe_gemm computes while pe_math has other work.
  [[nodiscard]] Task<> begin(InFlight* stores);
  [[nodiscard]] Task<Running> attend();

  const std::int64_t sequence;
  const std::int64_t head;

 private:
  [[nodiscard]] static std::vector<KeyBlock> cached(const DecodeAttentionArgs& args, const Place& at,
                                                    std::int64_t sequence, std::int64_t head);
  [[nodiscard]] std::int64_t group() const { return args_.heads / args_.cache.kv_heads; }
  [[nodiscard]] Part row() const { return {args_.first_row + sequence, 1}; }
  [[nodiscard]] HeadColumns columns(std::int64_t column_head) const {
    return HeadColumns{args_.qkv, 0, args_.cache.d}.from(column_head);
  }
  [[nodiscard]] NewKeys::Args new_row(HeadNorm* norm) const;
  [[nodiscard]] Task<> add_own(InFlight* stores);
  [[nodiscard]] Task<> add_block();

  TL& tl_;
  const DecodeAttentionArgs& args_;
  KeyBlocks blocks_;
  Angles angles_;
  RotatedLoad q_loading_;
  Tile q_;  // [d, group]
  BlockSoftmax softmax_;
  std::optional<NewKeys> own_;  // the new row's, on the split that has its position
  Ptr keys_at_, values_at_;     // their place in the cache
};

Item::Item(TL& tl, const DecodeAttentionArgs& args, const Place& at, Norms* norms,
           std::int64_t which_sequence, std::int64_t which_head)
    : sequence{which_sequence},
      head{which_head},
      tl_{tl},
      args_{args},
      blocks_{tl, cached(args, at, sequence, head), args.cache.d},
      angles_{tl, args.rotary, {args.context_of(sequence), 1}},
      q_loading_{tl, args.cache.grid, columns(head * group()), group(), row(), &angles_, &norms->q},
      softmax_{tl, args.scale, group(), args.cache.d} {
  const std::int64_t position = args.context_of(sequence);
  tl.check(position < args.cache.capacity, "a sequence is longer than the cache's capacity");
  if (args.cache.split_at(position) != at.split) return;
  const std::int64_t in_cache = args.first_sequence + sequence;
  own_.emplace(tl, new_row(&norms->k));
  keys_at_ = args.cache.at(args.cache.keys, at.pe, in_cache, head, args.cache.slot_at(position));
  values_at_ = args.cache.at(args.cache.values, at.pe, in_cache, head, args.cache.slot_at(position));
}

NewKeys::Args Item::new_row(HeadNorm* norm) const {
  return {.grid = args_.cache.grid,
          .keys = columns(args_.heads + head),
          .values = columns(args_.heads + args_.cache.kv_heads + head),
          .rotary = args_.rotary,
          .norm = norm,
          .rows = row(),
          .position = args_.context_of(sequence)};
}

std::vector<KeyBlock> Item::cached(const DecodeAttentionArgs& args, const Place& at, std::int64_t sequence,
                                   std::int64_t head) {
  const KvCache& cache = args.cache;
  const std::int64_t context = args.context_of(sequence);
  const std::int64_t first = args.window > 0 ? std::max<std::int64_t>(0, context + 1 - args.window) : 0;
  const Part slots = cache.slots_of(at.split, {first, context - first});
  const std::int64_t in_cache = args.first_sequence + sequence;
  std::vector<KeyBlock> blocks;
  for (const Part& part : cut_evenly(slots, args.block_keys)) {
    blocks.push_back({.keys = cache.at(cache.keys, at.pe, in_cache, head, part.begin),
                      .values = cache.at(cache.values, at.pe, in_cache, head, part.begin),
                      .splits = {at.split, 1},
                      .slots = part});
  }
  return blocks;
}

Task<> Item::add_own(InFlight* stores) {
  const Tile k = co_await own_->keys();
  const Tile v = co_await own_->values();
  stores->add(tl_.store(keys_at_, k));
  stores->add(tl_.store(values_at_, v));
  softmax_.add(tl_.dot(k, q_), v);
}

Task<> Item::add_block() {
  const KeyBlocks::Loaded loaded = co_await blocks_.next();
  softmax_.add(tl_.dot(loaded.keys, q_), loaded.values);
}

Task<> Item::begin(InFlight* stores) {
  const auto range = tl_.range("attend");
  const Tile row_of_q = co_await q_loading_.tile();
  q_ = tl_.trans(tl_.reshape(row_of_q, {group(), args_.cache.d}));
  if (own_) {
    co_await add_own(stores);
  } else if (blocks_.any()) {
    co_await add_block();
  }
}

Task<Running> Item::attend() {
  const auto range = tl_.range("attend");
  while (blocks_.any()) co_await add_block();
  co_return softmax_.result();
}

// An item that this PE has attended to, and that the splits combine.
struct Found {
  std::int64_t sequence = 0;
  std::int64_t head = 0;
  Combination all;
};

// Divides by the sum and stores the heads' columns of the sequence's row.
void store_result(TL& tl, const DecodeAttentionArgs& args, const Found& found, InFlight* stores) {
  const Running& all = *found.all.result();
  const Tile out = all.out / all.sum;
  const std::int64_t columns = out.shape().elements();
  const Tile row = tl.reshape(out.to(args.out.base.dtype), {1, columns});
  store_block(tl, args.cache.grid, args.out, {args.first_row + found.sequence, found.head * columns}, row,
              stores);
}

// Each item takes one level of its tree, the oldest item first.
Task<> combine(TL& tl, const DecodeAttentionArgs* args, std::deque<Found>* items, InFlight* moves) {
  for (Found& found : *items) {
    if (!found.all.done()) co_await found.all.step(tl, moves);
    if (found.all.result() != nullptr) store_result(tl, *args, found, moves);
  }
  std::erase_if(*items, [](const Found& found) { return found.all.done(); });
  co_await moves->end_step();
}

Task<> decode_attention(TL& tl, DecodeAttentionArgs args) {
  tl.check(args.heads % args.cache.kv_heads == 0, "heads isn't a multiple of kv_heads");
  const PePlace here = place_of(tl);
  const Place at = place_in(args.cache, here);
  const Splits splits = splits_at(args.cache, here);
  const std::int64_t count = args.rows() * at.heads.size;
  Norms norms{tl, args};
  std::deque<Item> items;  // this one, the next one, and one whose loads are under way
  std::int64_t started = 0;
  const auto start = [&] {
    if (started == count) return;
    items.emplace_back(tl, args, at, &norms, started / at.heads.size,
                       at.heads.begin + started % at.heads.size);
    ++started;
  };
  std::deque<Found> found;
  InFlight moves;
  start();
  start();
  if (!items.empty()) co_await items.front().begin(&moves);
  for (std::int64_t i = 0; i < count; ++i) {
    start();
    if (items.size() > 1) co_await items[1].begin(&moves);
    Item& item = items.front();
    const Running own = co_await item.attend();
    co_await combine(tl, &args, &found, &moves);
    found.push_back({item.sequence, item.head, Combination{splits, own, item.sequence % splits.roots()}});
    items.pop_front();
  }
  while (!found.empty()) co_await combine(tl, &args, &found, &moves);
  co_await moves.done();
}
KBSIM_KERNEL(decode_attention,
             "attention of one new row per sequence over the cache, on all PEs of a package");

}  // namespace
}  // namespace kbsim::llm
