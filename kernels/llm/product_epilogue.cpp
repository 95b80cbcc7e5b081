#include "kbsim/kernels/llm/product_epilogue.hpp"

#include "kbsim/kernels/llm/pe_exchange.hpp"

namespace kbsim::llm {

Tile activate(TL& tl, Activate function, const Tile& x) {
  switch (function) {
    case Activate::none: return x;
    case Activate::relu: return tl.maximum(x, 0.0);
    case Activate::silu: return x * tl.sigmoid(x);
    case Activate::gelu: return x * 0.5 * (tl.erf(x * 0.7071067811865476) + 1.0);
    case Activate::gelu_tanh: break;
  }
  return x * 0.5 * (tl.tanh((x + x * x * x * 0.044715) * 0.7978845608028654) + 1.0);
}

void ProductSums::add(TL& tl, const Tile& x, const Tile& w) {
  sum = sum.empty() ? tl.dot(x, w) : tl.dot(x, w, sum);
}

void ProductSums::add_up(TL& tl, const Tile& x, const Tile& w) {
  up = up.empty() ? tl.dot(x, w) : tl.dot(x, w, up);
}

Tile epilogue(TL& tl, const ProductArgs& args, const ProductSums& sums, const Tile& bias) {
  Tile y = args.has_bias ? sums.sum + bias.to(f32) : sums.sum;
  y = activate(tl, args.act, y);
  if (args.gated) y = y * sums.up;
  return y.to(args.y.base.dtype);
}

Tile with_residual(const ProductArgs& args, const Tile& y, const Tile& residual) {
  return (y.to(f32) + residual.to(f32)).to(args.y.base.dtype);
}

}  // namespace kbsim::llm
