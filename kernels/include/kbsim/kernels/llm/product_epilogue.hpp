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

/// Biases of some columns [1, columns], under way from its making on; nothing without biases.
class Biases {
 public:
  Biases() = default;
  Biases(TL& tl, const ProductArgs& args, Part columns);
  /// Waits until they have come.
  [[nodiscard]] Task<> arrived();
  [[nodiscard]] const Tile& bias() const { return bias_; }
  [[nodiscard]] const Tile& up() const { return up_; }

 private:
  Pending<Tile> bias_loading_, up_loading_;
  Tile bias_, up_;  // in f32; empty without
};

/// All but the residual, in y's dtype.
[[nodiscard]] Tile epilogue(TL& tl, const ProductArgs& args, const ProductSums& sums, const Biases& biases);
[[nodiscard]] Tile with_residual(const ProductArgs& args, const Tile& y, const Tile& residual);

}  // namespace kbsim::llm
