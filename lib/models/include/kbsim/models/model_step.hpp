#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/models/keys_seen.hpp"

namespace kbsim::models {

/// A sequence's part of a step: `rows` new tokens after `context` tokens in the cache. Logits are asked for
/// of the last `logit_rows` of its rows.
struct SequenceRows {
  std::int64_t rows = 1;
  std::int64_t context = 0;
  std::int64_t logit_rows = 1;

  [[nodiscard]] CausalRows attention(std::int64_t window) const {
    return {.rows = rows, .keys = context + rows, .window = window};
  }
};

/// Sequences that a model computes at once: prefills, decodes, or both.
struct Step {
  std::vector<SequenceRows> sequences;

  [[nodiscard]] std::int64_t rows() const;
  [[nodiscard]] std::int64_t logit_rows() const;
  /// Sums over sequences, in layers with that window.
  [[nodiscard]] std::int64_t keys_seen(std::int64_t window) const;
  [[nodiscard]] std::int64_t keys_touched(std::int64_t window) const;
};

[[nodiscard]] Step prefill_step(std::int64_t tokens, std::int64_t batch = 1);
[[nodiscard]] Step decode_step(std::int64_t context, std::int64_t batch = 1);

}  // namespace kbsim::models
