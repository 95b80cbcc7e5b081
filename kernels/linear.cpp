// A linear layer by one composite: the bias is added to each tile of the product before it is rounded.
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/operator_args.hpp"

namespace kbsim {
namespace {

Task<> linear(TL& tl, LinearArgs args) {
  const Ref x = tl.ref(args.x, {args.m, args.k}, args.x.dtype);
  const Ref w = tl.ref(args.w, {args.k, args.n}, args.w.dtype);
  const Ref out = tl.ref(args.out, {args.m, args.n}, args.out.dtype);
  if (!args.has_bias) {
    co_await tl.composite({.op = Op::gemm, .a = x, .b = w, .out = out});
    co_return;
  }
  const Tile row = co_await tl.load(args.bias, {1, args.n}, args.bias.dtype);
  const Tile bias = row.to(args.x.dtype == f64 ? f64 : f32);
  co_await tl.composite({.op = Op::gemm, .a = x, .b = w, .out = out, .epilogue = {Step::bias(bias)}});
}
KBSIM_KERNEL(linear, "X W, plus a row of biases, by one composite");

}  // namespace
}  // namespace kbsim
