#pragma once

#include <cstdint>

#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// flash_attention: O = softmax(Q K^T * scale) V on one PE, Q of [s_q, d], K and V of [s_kv, d]; blocks of
/// block_m queries see the keys in blocks of block_n. `causal`: query i sees keys up to i.
struct FlashAttentionArgs {
  Ptr q, k, v, o;
  std::int64_t s_q = 0, s_kv = 0, d = 0;
  std::int64_t block_m = 32, block_n = 32;
  double scale = 1.0;
  bool causal = false;
};

}  // namespace kbsim
