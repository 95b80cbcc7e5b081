#pragma once

#include "kbsim/kernels/llm/product.hpp"

namespace kbsim::llm {

/// Sums in f32 of x w, and of x up if the product is gated; empty before the first block.
struct ProductSums {
  Tile sum;
  Tile up;
  void add(TL& tl, const Tile& x, const Tile& w);
  void add_up(TL& tl, const Tile& x, const Tile& w);
};

/// All but the residual, in y's dtype. `bias` [1, columns] is empty if there is none.
[[nodiscard]] Tile epilogue(TL& tl, const ProductArgs& args, const ProductSums& sums, const Tile& bias);
[[nodiscard]] Tile with_residual(const ProductArgs& args, const Tile& y, const Tile& residual);

}  // namespace kbsim::llm
