#pragma once

#include <cstdint>

#include "kbsim/kernels/llm/pe_grid.hpp"
#include "kbsim/llm/llm_problem.hpp"
#include "kbsim/llm/model_division.hpp"

namespace kbsim::inference {

/// A rank's part of a divided model, as a smaller model with layers, heads, columns and sequences of
/// its own, and where these begin in the whole one. The embedding's table is whole on each rank of the first
/// stage. A kv head that several ranks need is on each of them.
struct RankShare {
  Division division;
  RankPlace at;
  LlmProblem problem;           // of the rank's model and sequences
  std::int64_t vocabulary = 0;  // of the whole model
  std::int64_t first_head = 0;
  std::int64_t first_kv_head = 0;
  std::int64_t first_inner = 0;  // column of the MLP
  std::int64_t first_word = 0;
  std::int64_t first_layer = 0;
  std::int64_t first_sequence = 0;

  [[nodiscard]] bool first_stage() const { return at.pp == 0; }
  [[nodiscard]] bool last_stage() const { return at.pp == division.pp - 1; }
  /// Only one rank of those that divide a layer adds biases and residuals to its part of a sum.
  [[nodiscard]] bool adds_once() const { return at.tp == 0; }
  [[nodiscard]] bool divides_rows() const { return division.sequence_parallel; }
  /// Whether the host hands tokens to the first stage, since no single device knows them.
  [[nodiscard]] bool host_chooses() const { return division.tp * division.pp > 1; }
  /// Rows that norms and residuals of a micro-batch have on this rank.
  [[nodiscard]] std::int64_t own_rows(Phase phase) const;
  /// The row of a micro-batch of the whole model that is this rank's row i of it. Sequence parallelism deals
  /// the rows of each PE over the ranks, so that a gather PE by PE has them in their order.
  [[nodiscard]] std::int64_t whole_row(Phase phase, const llm::PeGrid& grid, std::int64_t i) const;
};

/// The division must be possible: require_divisible().
[[nodiscard]] RankShare share_of(const LlmProblem& whole, RankPlace at);

/// UsageError, with the option, the sizes that don't divide and what would, or with the numbers of packages.
/// `grid` is that of each package.
void require_divisible(const LlmProblem& whole, int packages, const llm::PeGrid& grid);

}  // namespace kbsim::inference
