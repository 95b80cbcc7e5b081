#pragma once

#include <cstdint>

#include "kbsim/kernels/llm/kv_cache.hpp"
#include "kbsim/kernels/llm/rotary.hpp"

namespace kbsim::llm {

/// prefill_attention: new rows of each of some sequences, one sequence after the other. Rows of a sequence,
/// at the positions from `context` on, attend to the positions before them in the cache and to one another;
/// their keys and values are added to the cache. `qkv` and `out` are as in decode_attention, with equally
/// many rows of each sequence in its order. Each cube has an equal part of the heads of q; its PEs divide a
/// sequence's rows, so that all see about as many positions.
///
/// All keys and values that rows see pass through `stage`: each PE puts those of its own split there, by one
/// read of its cache and from the new rows; others read them from TCM. `stage_slots` of them at a time, with
/// barriers between: the scratch has stage_size() elements for each PE and is shared, as qkv and out are.
struct PrefillAttentionArgs {
  Activation qkv, out;
  KvCache cache;
  std::int64_t heads = 1;  // of q, a multiple of cache.kv_heads
  HeadNormArgs norms;
  RotaryTables rotary;
  double scale = 1.0;
  std::int64_t window = 0;    // positions that a row sees, its own included; 0: all. Needs `causal`
  bool causal = true;         // a row sees positions up to its own; else all
  std::int64_t context = 0;   // positions in the cache before
  std::int64_t sequence = 0;  // of the cache: the first one
  std::int64_t sequences = 1;
  std::int64_t first_row = 0;  // of that sequence, in qkv and out
  std::int64_t rows_each = 0;  // rows of each sequence; 0: qkv has no others
  Scratch stage;
  std::int64_t stage_slots = 0;  // at least kCacheBlock
  std::int64_t block_rows = 128, block_keys = 128;

  /// Rows of each sequence.
  [[nodiscard]] constexpr std::int64_t rows() const {
    return rows_each > 0 ? rows_each : qkv.rows / sequences;
  }
  [[nodiscard]] constexpr std::int64_t end() const { return context + rows(); }
  /// Rows of the first sequence, in qkv and out.
  [[nodiscard]] constexpr Part in_qkv(Part rows) const { return {first_row + rows.begin, rows.size}; }
  /// The positions that any of these rows of a sequence sees.
  [[nodiscard]] constexpr Part seen_by(Part rows) const {
    if (!causal) return {0, end()};
    const std::int64_t first = window > 0 ? context + rows.begin + 1 - window : 0;
    const std::int64_t begin = first > 0 ? first : 0;
    return {begin, context + rows.end() - begin};
  }
  [[nodiscard]] constexpr std::int64_t stage_size() const {
    return 2 * cache.heads_per_pe() * stage_slots * cache.d;
  }
};

}  // namespace kbsim::llm
