#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/kernels/llm/kv_cache.hpp"
#include "kbsim/kernels/llm/rotary.hpp"

namespace kbsim::llm {

/// decode_attention: one new row of each sequence attends to the sequence's cache and to itself. Row b of
/// `qkv`, from `first_row` on, is that of sequence b, from `first_sequence` on: all heads of q, all of k, all
/// of v, of cache.d columns each; `out` has the heads of q. Both are shared tensors.
///
/// A sequence has `context` positions in the cache, or that of (*contexts), from `first_context` on, which
/// lives as long as the launch. The new row is at the next one: its keys and values are appended there, and
/// aren't read back. With a `window` the row sees that number of positions, its own included; others aren't
/// read. Each byte of the cache is read at most once, by the PE that has it.
struct DecodeAttentionArgs {
  Activation qkv, out;
  KvCache cache;
  std::int64_t heads = 1;  // of q, a multiple of cache.kv_heads
  HeadNormArgs norms;
  RotaryTables rotary;
  double scale = 1.0;
  std::int64_t window = 0;          // 0: all positions
  std::int64_t first_row = 0;       // in qkv and out
  std::int64_t first_sequence = 0;  // of the cache
  std::int64_t sequences = 0;       // 0: all that come after it
  std::int64_t context = 0;
  const std::vector<std::int64_t>* contexts = nullptr;
  std::int64_t first_context = 0;  // the first sequence's place in them
  std::int64_t block_keys = 128;

  [[nodiscard]] std::int64_t rows() const {
    return sequences > 0 ? sequences : cache.sequences - first_sequence;
  }
  /// `sequence` counts from `first_sequence` on.
  [[nodiscard]] std::int64_t context_of(std::int64_t sequence) const {
    return contexts == nullptr ? context : contexts->at(static_cast<std::size_t>(first_context + sequence));
  }
};

}  // namespace kbsim::llm
