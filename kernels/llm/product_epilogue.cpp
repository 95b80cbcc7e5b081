#include "kbsim/kernels/llm/product_epilogue.hpp"

#include "kbsim/kernels/llm/pe_exchange.hpp"

namespace kbsim::llm {
namespace {

Tile with_bias(const Tile& sum, const Tile& bias) { return bias.empty() ? sum : sum + bias; }

}  // namespace

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

Biases::Biases(TL& tl, const ProductArgs& args, Part columns) {
  if (!args.has_bias || columns.size == 0) return;
  const auto load = [&](Ptr from) { return tl.load(from + columns.begin, {1, columns.size}, from.dtype); };
  bias_loading_ = load(args.bias);
  if (args.gated) up_loading_ = load(args.up_bias);
}

Task<> Biases::arrived() {
  const Tile bias = co_await bias_loading_;
  const Tile up = co_await up_loading_;
  if (!bias.empty() && bias_.empty()) bias_ = bias.to(f32);
  if (!up.empty() && up_.empty()) up_ = up.to(f32);
}

Tile epilogue(TL& tl, const ProductArgs& args, const ProductSums& sums, const Biases& biases) {
  Tile y = activate(tl, args.act, with_bias(sums.sum, biases.bias()));
  if (args.gated) y = y * with_bias(sums.up, biases.up());
  if (args.multiplier != 1.0) y = y * args.multiplier;
  return y.to(args.y.base.dtype);
}

Tile with_residual(const ProductArgs& args, const Tile& y, const Tile& residual) {
  return (y.to(f32) + residual.to(f32)).to(args.y.base.dtype);
}

}  // namespace kbsim::llm
