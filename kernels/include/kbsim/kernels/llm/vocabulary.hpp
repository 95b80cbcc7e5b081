#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kbsim/kernels/llm/pe_grid.hpp"

namespace kbsim::llm {

/// embedding_rows: row i of y is row ids[i] of table [vocabulary, y.cols], times `multiplier`, plus row
/// places[i] of `positions` if it has places: in f32, rounded once. The table is divided by rows over cubes
/// and then over their PEs, and shared: each PE reads its columns of its rows where they are. `positions`
/// [position_rows, y.cols] is divided by columns over cubes and replicated on the PEs of each. ids are i32
/// and every PE sees them; places live as long as the launch. In runs without numbers `drawn` takes other
/// ids, each drawn for its row and `seed`.
struct EmbeddingRowsArgs {
  PeGrid grid;
  Ptr ids, table;
  std::int64_t vocabulary = 0;
  double multiplier = 1.0;
  Ptr positions = {};
  std::int64_t position_rows = 0;
  const std::vector<std::int64_t>* places = nullptr;
  Activation y;
  bool drawn = false;
  std::uint64_t seed = 0;
};

/// take_rows: row i of y is row rows[i] of x, in other memory.
struct TakeRowsArgs {
  static constexpr std::size_t kMost = 257;
  PeGrid grid;
  Activation x, y;
  std::array<std::int32_t, kMost> rows = {};
};

/// head_rows: logits [x.rows, vocabulary] = (x w^T + bias) * multiplier, in f32 and rounded once, of all rows
/// of x. w is placed as the table of embedding_rows, or that table; each PE reads its rows of it once. The
/// bias has an element for each row of w, divided as they are. The logits are divided by columns over cubes,
/// then over the PEs of each, and stored if they are asked for. Token i, an i32 that PE 0 of cube 0 stores in
/// `tokens`, is the lowest index of the largest logit of row i; it stores that logit in `largest`, if it is
/// asked for.
struct HeadRowsArgs {
  PeGrid grid;
  Activation x;
  Ptr w;
  std::int64_t vocabulary = 0;
  Ptr bias = {};
  bool has_bias = false;
  double multiplier = 1.0;
  Ptr logits = {};  // its dtype is that of the logits, stored or not
  bool stores_logits = false;
  Ptr tokens;
  Ptr largest = {};
  bool stores_largest = false;
  Scratch scratch;  // x.rows * x.cols elements
};

}  // namespace kbsim::llm
