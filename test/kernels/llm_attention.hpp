#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/kernels/llm/decode_attention.hpp"
#include "kbsim/kernels/llm/prefill_attention.hpp"

#include "both.hpp"

namespace kbsim::test {

/// Attention of a layer on all PEs of a package. Each row of each sequence has numbers of its own.
struct LlmAttention {
  llm::PeGrid grid;
  std::int64_t heads = 4, kv_heads = 2, d = 8;
  std::int64_t sequences = 1, capacity = 64;
  std::int64_t rotary = 0;  // elements of a head
  bool interleaved = false;
  bool norms = false;  // of each head of q and k
  std::int64_t window = 0;
  bool causal = true;
  std::int64_t block_rows = 64, block_keys = 128, stage_slots = 64;
  int slots = 4;  // of each queue
  DType dtype = f32;
  unsigned seed = 1;

  [[nodiscard]] std::int64_t columns() const { return (heads + 2 * kv_heads) * d; }
  [[nodiscard]] double scale() const { return 1.0 / std::sqrt(static_cast<double>(d)); }
  [[nodiscard]] llm::KvCache cache() const;
  /// q, k and v of a row, as the dtype holds them.
  [[nodiscard]] Numbers row(std::int64_t sequence, std::int64_t position) const;
  /// A head of a row, of q or k, normed and turned to the row's position.
  [[nodiscard]] Numbers turned(const Numbers& row, std::int64_t position, std::int64_t head) const;
  /// The results of rows, the last ones of a sequence, by the definition in f64: [rows, heads * d].
  [[nodiscard]] Numbers expected(std::int64_t sequence, llm::Part rows) const;

  /// The tables, [capacity, rotary / 2]; one number without rotary positions.
  [[nodiscard]] Array cos() const;
  [[nodiscard]] Array sin() const;

  /// The weights of the norms of q and of k.
  [[nodiscard]] Array q_norm() const { return normal(d, dtype, seed + 1'000'003); }
  [[nodiscard]] Array k_norm() const { return normal(d, dtype, seed + 1'000'004); }

  /// The numbers of the cache's tensors, of sequences with so many positions; NaN where there is none.
  [[nodiscard]] Numbers keys(const std::vector<std::int64_t>& contexts) const;
  [[nodiscard]] Numbers values(const std::vector<std::int64_t>& contexts) const;

  [[nodiscard]] llm::Activation activation(std::int64_t rows, std::int64_t columns) const;
  /// The numbers of an activation's tensor, from a matrix's; NaN between parts. And back.
  [[nodiscard]] Numbers divided(const llm::Activation& x, const Numbers& matrix) const;
  [[nodiscard]] Numbers joined(const llm::Activation& x, const Numbers& parts) const;

  [[nodiscard]] config::MachineSpec machine() const;
  [[nodiscard]] config::AlgorithmSpec queues() const;

  [[nodiscard]] llm::DecodeAttentionArgs decode_args() const;
  [[nodiscard]] llm::PrefillAttentionArgs prefill_args(std::int64_t sequence, std::int64_t context,
                                                       std::int64_t rows, std::int64_t count = 1) const;
};

}  // namespace kbsim::test
