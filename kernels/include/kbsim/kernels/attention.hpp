#pragma once

#include <cstdint>

#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// flash_attention: O = softmax(Q K^T * scale) V on one PE, Q of [s_q, d], K and V of [s_kv, d]; blocks of
/// block_m queries see the keys in blocks of block_n. `causal`: a query sees the keys up to its own position;
/// the last query stands at the last key. Queries before the first key give 0.
struct FlashAttentionArgs {
  Ptr q, k, v, o;
  std::int64_t s_q = 0, s_kv = 0, d = 0;
  std::int64_t block_m = 32, block_n = 32;
  double scale = 1.0;
  bool causal = false;
};

/// attention_mesh_kv and attention_mesh_mlo: O = softmax(Q K^T * scale) V over the keys of all ranks. Ranks
/// are the first PEs of a cube (rank_axis 0) or PEs 0 of the first cubes (1), in a line of queues E and W.
///
/// Each rank holds [h_kv, s_kv, d] of K and V and [h_q, s_q, d] of O and Q, rank after rank in memory. In
/// attention_mesh_mlo all ranks share one Q. h_q / h_kv query heads share a key head. `causal`: a query
/// sees the keys up to its own position; the last query of all stands at the last key of all.
struct AttentionMeshArgs {
  Ptr q, k, v, o;
  int ranks = 1;
  int rank_axis = 0;
  std::int64_t h_q = 1, h_kv = 1, d = 0;
  std::int64_t s_q = 1, s_kv = 0;                 // per rank
  std::int64_t block_rows = 32, block_keys = 32;  // rows of O, or keys, of a message at most
  double scale = 1.0;
  bool causal = false;
};

}  // namespace kbsim
