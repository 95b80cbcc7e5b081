#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "kbsim/kernels/llm/kv_cache.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::llm {

/// Keys of some splits in a row, and as many values: of each split the same slots. A split's keys are
/// [slots, d] and contiguous, at the address of the split before plus `stride` elements.
struct KeyBlock {
  Ptr keys, values;  // of the first split
  std::int64_t stride = 0;
  Part splits{0, 1};
  Part slots;

  [[nodiscard]] constexpr std::int64_t size() const { return splits.size * slots.size; }
};

/// Blocks of keys and values that are loaded ahead of their use, in their order.
class KeyBlocks {
 public:
  KeyBlocks(TL& tl, std::vector<KeyBlock> blocks, std::int64_t d);
  KeyBlocks(const KeyBlocks&) = delete;
  KeyBlocks& operator=(const KeyBlocks&) = delete;

  /// [block.size(), d], split after split.
  struct Loaded {
    KeyBlock block;
    Tile keys, values;
  };
  [[nodiscard]] bool any() const { return !loads_.empty(); }
  [[nodiscard]] Task<Loaded> next();

 private:
  static constexpr std::size_t kAhead = 2;
  struct Load {
    KeyBlock block;
    Pending<Tile> keys, values;
  };
  void submit();
  [[nodiscard]] Pending<Tile> load(const KeyBlock& block, Ptr first) const;

  TL& tl_;
  std::vector<KeyBlock> blocks_;
  std::int64_t d_;
  std::size_t submitted_ = 0;
  std::deque<Load> loads_;
};

/// The splits and slots of consecutive positions, of at most `most` keys each where that is a multiple of
/// kCacheBlock: as many whole turns of all splits as fit, else parts of a turn.
[[nodiscard]] std::vector<KeyBlock> blocks_of(const KvCache& cache, Part positions, std::int64_t most);

}  // namespace kbsim::llm
