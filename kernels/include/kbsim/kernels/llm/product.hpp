#pragma once

#include <cstddef>
#include <cstdint>

#include "kbsim/kernels/llm/packages_of_sum.hpp"
#include "kbsim/kernels/llm/pe_grid.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::llm {

/// A function of each element; gelu_tanh is the approximation by tanh.
enum class Activate : std::uint8_t { none, relu, silu, gelu, gelu_tanh };
[[nodiscard]] Tile activate(TL& tl, Activate function, const Tile& x);

/// product_columns and product_blocks: y[M, N] = x[M, K] w[K, N], summed in f32. Then, in f32: plus `bias` of
/// N elements; `act` of it; times x `up` plus `up_bias` if gated (gate is then w, and both have the same
/// places); times `multiplier`; rounded to y's dtype. At last plus `residual`, an activation like y, whose
/// memory y's may be. `over`: y is then the sum of what these packages have computed so, each part rounded to
/// y's dtype.
struct ProductArgs {
  PeGrid grid;
  Activation x, y;
  Ptr w;
  Ptr up = {};
  Ptr bias = {}, up_bias = {};  // a gated product has both or none
  Activation residual = {};
  bool gated = false, has_bias = false, has_residual = false;
  Activate act = Activate::none;
  double multiplier = 1.0;
  Scratch scratch;
  int chunks = 1;              // of each PE's rows, one after the other
  bool keeps_weights = false;  // a PE's weights stay in TCM for the next chunks
  PackagesOfSum over = {};
};

/// product_columns: w and up are divided by columns over cubes, then over the PEs of each; so are biases.
/// Each PE reads its slab [K, its columns] from its HBM once, or once a chunk if it doesn't keep the weights.
/// The elements of scratch that it needs:
[[nodiscard]] std::int64_t scratch_of_columns(const PeGrid& grid, std::int64_t m, std::int64_t k,
                                              std::int64_t n, int chunks);
/// Panels of x that it passes on, and so waits for, before it multiplies one.
inline constexpr std::size_t kColumnsPanelsAhead = 2;
/// Columns of x that it gathers and multiplies at once, at most: the rows of a block of weights.
[[nodiscard]] std::int64_t panel_of_columns(const PeGrid& grid, std::int64_t n, DType dtype);

/// product_blocks: w and up are divided by columns over cubes, then by rows over the PEs of each; biases by
/// columns over cubes. Each PE reads its block once, or once a chunk if it doesn't keep the weights, and
/// multiplies all rows of its part of x's columns by it; the PEs of a cube add up these sums. The elements of
/// scratch that it needs, those for rows of x, and the columns of a cube that it computes at once:
[[nodiscard]] std::int64_t scratch_of_blocks(const PeGrid& grid, std::int64_t m, std::int64_t k,
                                             std::int64_t n, int chunks);
[[nodiscard]] std::int64_t scratch_of_rows(const PeGrid& grid, std::int64_t m, std::int64_t k, int chunks);
[[nodiscard]] std::int64_t columns_of_blocks(const PeGrid& grid, std::int64_t m, std::int64_t n);

}  // namespace kbsim::llm
