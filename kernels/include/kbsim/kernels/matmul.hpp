#pragma once

#include <cstdint>

#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// gemm: C[M, N] = A[M, K] B[K, N], all row-major, in blocks of C that `programs` PEs of a cube take in turn.
struct GemmArgs {
  Ptr a, b, c;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t block_m = 32, block_n = 32, block_k = 64;
  int programs = 1;
};

/// Where the operands of a composite are: streamed from memory tile by tile, or loaded into TCM before.
enum class Staging { ref_ref, load_ref, load_load };

/// matmul_composite: C = A B by one composite on each PE. PE p of a package takes the columns
/// [p * n, (p + 1) * n) of B and C, which lie one after the other as matrices of n columns.
struct MatmulArgs {
  Ptr a, b, c;
  std::int64_t m = 0, n = 0, k = 0;  // n: per PE
  Staging staging = Staging::ref_ref;
};

/// divided_matmul: C[m, n] = A[m, k] B[k, n]. Each PE takes its rows of A and C and all of B, or its columns
/// of B and C and all of A. Rows or columns are divided evenly over cubes, then over the PEs of each cube;
/// the first ones get one more.
struct DividedMatmulArgs {
  Ptr a, b, c;
  std::int64_t m = 0, n = 0, k = 0;
  bool by_rows = false;
  int cubes = 1, pes = 1;  // the first cubes, and the first PEs of each
};

/// qkv_gemm: Q = X Wq, K = X Wk, V = X Wv, each PE its columns as in matmul_composite. X is loaded once if
/// it fits the TCM beside the rest, else streamed three times.
struct QkvArgs {
  Ptr x;
  Ptr wq, wk, wv;
  Ptr q, k, v;
  std::int64_t rows = 0, d_model = 0, columns = 0;  // columns: per PE
  bool load_x = true;
};

}  // namespace kbsim
