#pragma once

#include <cstdint>

#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// A part of a matrix in memory: row i begins at `at + i * row_stride`.
struct MatrixPart {
  Ptr at;
  std::int64_t row_stride = 0;
};

/// Functions of each element. The ones up to minimum have a second operand y; rsub is y - x, rdiv is y / x.
enum class Pointwise : std::uint8_t {
  add,
  sub,
  rsub,
  mul,
  div,
  rdiv,
  maximum,
  minimum,
  relu,
  silu,
  gelu,
  gelu_tanh,  // the tanh approximation, as in GPT-2
  neg,
  abs,
  exp,
  log,
  sqrt,
  rsqrt,
  sin,
  cos,
  tanh,
  sigmoid,
  cast,  // x itself
};

/// pointwise: out = op(x, y), x and out [rows, cols], in blocks, computed in `compute` and rounded once. y is
/// a number, one row for all rows, or as large as x.
struct PointwiseArgs {
  enum class Second : std::uint8_t { number, row, block };
  Pointwise op = Pointwise::add;
  MatrixPart x, y, out;
  Second y_is = Second::number;
  double number = 0.0;
  bool integer = false;  // whether `number` is an integer
  std::int64_t rows = 0, cols = 0;
  std::int64_t block_rows = 1, block_cols = 4096;
  DType compute = f32;
};

/// where: out = condition ? x : y of [rows, cols], in blocks. Each input is a number (not the condition), one
/// row for all rows, or as large as out; x and y are changed to out's dtype.
struct WhereArgs {
  struct Input {
    PointwiseArgs::Second is = PointwiseArgs::Second::number;
    MatrixPart part = {};
    double number = 0.0;
  };
  Input condition, x, y;
  MatrixPart out;
  std::int64_t rows = 0, cols = 0;
  std::int64_t block_rows = 1, block_cols = 4096;
};

/// reduce: out[outer, inner] = op over the middle of x[outer, n, inner], whose innermost elements are
/// consecutive, divided by `divisor`. Computes in `compute` and rounds once; NaN propagates.
struct ReductionArgs {
  enum class Op : std::uint8_t { sum, norm, max, min };
  Op op = Op::sum;
  Ptr x, out;
  std::int64_t outer = 1, n = 1, inner = 1;
  std::int64_t outer_stride = 0, n_stride = 0;  // of x, in elements
  std::int64_t block_outer = 1, block_n = 1, block_inner = 1;
  double divisor = 1.0;
  DType compute = f32;
};

/// linear: out[M, N] = x[M, K] w[K, N], all row-major, plus a row `bias` of N elements if there is one.
struct LinearArgs {
  Ptr x, w, bias, out;
  std::int64_t m = 0, n = 0, k = 0;
  bool has_bias = false;
};

/// embedding: row i of out[n, cols] is row indices[i] - first of table[rows, cols], or zeros if the table
/// has no such row. Indices are i32 below `vocabulary`.
struct EmbeddingArgs {
  Ptr indices, table, out;
  std::int64_t n = 0, rows = 0, cols = 0;
  std::int64_t first = 0, vocabulary = 0;
  std::int64_t block = 32;  // indices
};

/// cached_attention: out = softmax(q k^T * scale) v of each head, one row per token: q and out
/// [s_q, h_q * d], k and v [s_kv, h_kv * d]. h_q / h_kv heads of q share one head of k and v. `causal`: query
/// i, at position first_query + i, sees keys up to its own position; before the first key it gives 0.
struct CachedAttentionArgs {
  Ptr q, k, v, out;
  std::int64_t s_q = 0, s_kv = 0, first_query = 0;
  std::int64_t h_q = 1, h_kv = 1, d = 0;
  std::int64_t block_queries = 16, block_keys = 64;
  double scale = 1.0;
  bool causal = false;
};

/// softmax: each of `rows` rows of `cols` elements, in blocks of rows that `programs` PEs of a cube take in
/// turn. Computes in f32.
struct SoftmaxArgs {
  Ptr x, out;
  std::int64_t rows = 0, cols = 0;
  std::int64_t block_rows = 16;
  int programs = 1;
};

/// layer_norm: (x - mean) / sqrt(variance + eps) * weight + bias of each row, weight and bias of `cols`
/// elements. Computes in f32.
struct LayerNormArgs {
  Ptr x, weight, bias, out;
  std::int64_t rows = 0, cols = 0;
  double eps = 1e-5;
  std::int64_t block_rows = 16;
  int programs = 1;
};

/// rms_norm: x / sqrt(mean of squares + eps) * weight of each row, as layer_norm.
struct RmsNormArgs {
  Ptr x, weight, out;
  std::int64_t rows = 0, cols = 0;
  double eps = 1e-5;
  std::int64_t block_rows = 16;
  int programs = 1;
};

}  // namespace kbsim
