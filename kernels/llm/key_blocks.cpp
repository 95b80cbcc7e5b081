// Blocks of keys and values: the splits and slots that they are, and their loads.
#include "kbsim/kernels/llm/key_blocks.hpp"

#include <algorithm>
#include <utility>

namespace kbsim::llm {

KeyBlocks::KeyBlocks(TL& tl, std::vector<KeyBlock> blocks, std::int64_t d)
    : tl_{tl}, blocks_{std::move(blocks)}, d_{d} {
  submit();
}

Task<KeyBlocks::Loaded> KeyBlocks::next() {
  Load load = std::move(loads_.front());
  loads_.pop_front();
  submit();
  const Tile keys = co_await load.keys;
  const Tile values = co_await load.values;
  const Shape rows{load.block.size(), d_};
  co_return Loaded{.block = load.block, .keys = tl_.reshape(keys, rows), .values = tl_.reshape(values, rows)};
}

void KeyBlocks::submit() {
  for (; submitted_ < blocks_.size() && loads_.size() < kAhead; ++submitted_) {
    const KeyBlock& block = blocks_[submitted_];
    loads_.push_back({.block = block, .keys = load(block, block.keys), .values = load(block, block.values)});
  }
}

Pending<Tile> KeyBlocks::load(const KeyBlock& block, Ptr first) const {
  if (block.splits.size == 1) return tl_.load(first, {block.slots.size, d_}, first.dtype);
  const Shape shape{block.splits.size, block.slots.size, d_};
  const Descriptor all =
      tl_.make_desc({.base = first, .shape = shape, .strides = {block.stride, d_, 1}, .block = shape});
  return all.load({0, 0, 0});
}

std::vector<KeyBlock> blocks_of(const KvCache& cache, Part positions, std::int64_t most) {
  const std::int64_t splits = cache.splits();
  const std::int64_t turn = splits * kCacheBlock;
  std::vector<KeyBlock> blocks;
  for (std::int64_t at = positions.begin; at < positions.end();) {
    const std::int64_t left = positions.end() - at;
    const std::int64_t split = cache.split_at(at);
    std::int64_t turns = at % turn == 0 ? std::min(left, most) / turn : 0;
    std::int64_t splits_here = splits;
    std::int64_t slots = turns * kCacheBlock;
    if (turns == 0) {  // blocks of this turn, or a part of one
      const std::int64_t whole = at % kCacheBlock == 0 ? std::min(left, most) / kCacheBlock : 0;
      splits_here = std::clamp<std::int64_t>(whole, 1, splits - split);
      slots = whole > 0 ? kCacheBlock : std::min(left, kCacheBlock - at % kCacheBlock);
    }
    blocks.push_back(
        {.keys = {}, .values = {}, .splits = {split, splits_here}, .slots = {cache.slot_at(at), slots}});
    at += splits_here * slots;
  }
  return blocks;
}

}  // namespace kbsim::llm
