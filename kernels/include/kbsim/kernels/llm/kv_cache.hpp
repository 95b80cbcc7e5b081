#pragma once

#include <algorithm>
#include <cstdint>

#include "kbsim/kernels/llm/pe_grid.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim::llm {

/// Positions that one split has in a row, before the next split's turn.
inline constexpr std::int64_t kCacheBlock = 16;

/// Keys and values of a layer. PEs are numbered cube by cube. With fewer kv heads than PEs, `splits()` PEs in
/// a row share a head and are dealt its positions by blocks of kCacheBlock, in turn; the PEs left over have
/// none. With more, each PE has several heads and all of their positions.
///
/// A PE's keys, and its values alike, are [sequences, heads_per_pe(), slots(), d] in its own HBM; the host's
/// tensors have `stride()` elements for each PE, in the order of the PEs.
struct KvCache {
  PeGrid grid;
  Ptr keys, values;
  std::int64_t kv_heads = 1;
  std::int64_t d = 0;
  std::int64_t capacity = 0;  // positions of a sequence
  std::int64_t sequences = 1;

  [[nodiscard]] constexpr std::int64_t splits() const {
    return std::max<std::int64_t>(1, grid.all() / kv_heads);
  }
  [[nodiscard]] constexpr std::int64_t heads_per_pe() const { return part_of(kv_heads, 0, grid.all()).size; }
  /// The heads that a PE has some positions of.
  [[nodiscard]] constexpr Part heads_of(std::int64_t pe) const {
    if (kv_heads > grid.all()) return part_of(kv_heads, pe, grid.all());
    const std::int64_t head = pe / splits();
    return {head, head < kv_heads ? 1 : 0};
  }
  [[nodiscard]] constexpr std::int64_t split_of(std::int64_t pe) const { return pe % splits(); }
  [[nodiscard]] constexpr std::int64_t pe_of(std::int64_t head, std::int64_t split) const {
    if (kv_heads <= grid.all()) return head * splits() + split;
    std::int64_t pe = 0;
    while (heads_of(pe).end() <= head) ++pe;
    return pe;
  }

  /// The split that has a position, and the position's place there.
  [[nodiscard]] constexpr std::int64_t split_at(std::int64_t position) const {
    return position / kCacheBlock % splits();
  }
  [[nodiscard]] constexpr std::int64_t slot_at(std::int64_t position) const {
    return position / kCacheBlock / splits() * kCacheBlock + position % kCacheBlock;
  }
  [[nodiscard]] constexpr std::int64_t position_of(std::int64_t split, std::int64_t slot) const {
    return (slot / kCacheBlock * splits() + split) * kCacheBlock + slot % kCacheBlock;
  }
  /// The number of positions before `end` that a split has: they are its slots from 0 on.
  [[nodiscard]] constexpr std::int64_t slots_before(std::int64_t split, std::int64_t end) const {
    const std::int64_t blocks = end / kCacheBlock;
    const std::int64_t whole = (blocks + splits() - 1 - split) / splits();
    return whole * kCacheBlock + (blocks % splits() == split ? end % kCacheBlock : 0);
  }
  /// The slots of positions of a range.
  [[nodiscard]] constexpr Part slots_of(std::int64_t split, Part positions) const {
    const std::int64_t first = slots_before(split, positions.begin);
    return {first, slots_before(split, positions.end()) - first};
  }

  /// Slots of a sequence and head on a PE.
  [[nodiscard]] constexpr std::int64_t slots() const { return slots_before(0, capacity); }
  /// Elements of keys on a PE; values have as many.
  [[nodiscard]] constexpr std::int64_t stride() const { return sequences * heads_per_pe() * slots() * d; }
  /// The first element of a slot of `keys` or `values`.
  [[nodiscard]] constexpr Ptr at(Ptr base, std::int64_t pe, std::int64_t sequence, std::int64_t head,
                                 std::int64_t slot) const {
    const std::int64_t own = head - heads_of(pe).begin;
    return base + pe * stride() + ((sequence * heads_per_pe() + own) * slots() + slot) * d;
  }
};

}  // namespace kbsim::llm
