// The element-wise operators of tensors: on two blocks, on a block and a row, or on a block and a number.
#include <array>

#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/operator_args.hpp"

namespace kbsim {
namespace {

using Function = Tile (*)(TL&, const Tile& x, const Operand& y);

Tile relu(TL& tl, const Tile& x, const Operand&) { return tl.maximum(x, 0); }
Tile silu(TL& tl, const Tile& x, const Operand&) { return x * tl.sigmoid(x); }
Tile gelu(TL& tl, const Tile& x, const Operand&) { return x * 0.5 * (tl.erf(x * 0.7071067811865476) + 1.0); }
// 0.5 x (1 + tanh(u)) is x sigmoid(2 u).
Tile gelu_tanh(TL& tl, const Tile& x, const Operand&) {
  const Tile cube = x * x * x;
  return x * tl.sigmoid((x + cube * 0.044715) * 1.5957691216057308);
}

struct PointwiseRow {
  Pointwise op;
  Function of;
};
constexpr auto kFunctions = std::to_array<PointwiseRow>({
    {Pointwise::add, [](TL&, const Tile& x, const Operand& y) { return x + y; }},
    {Pointwise::sub, [](TL&, const Tile& x, const Operand& y) { return x - y; }},
    {Pointwise::rsub, [](TL&, const Tile& x, const Operand& y) { return y - x; }},
    {Pointwise::mul, [](TL&, const Tile& x, const Operand& y) { return x * y; }},
    {Pointwise::div, [](TL&, const Tile& x, const Operand& y) { return x / y; }},
    {Pointwise::rdiv, [](TL&, const Tile& x, const Operand& y) { return y / x; }},
    {Pointwise::maximum, [](TL& tl, const Tile& x, const Operand& y) { return tl.maximum(x, y); }},
    {Pointwise::minimum, [](TL& tl, const Tile& x, const Operand& y) { return tl.minimum(x, y); }},
    {Pointwise::relu, relu},
    {Pointwise::silu, silu},
    {Pointwise::gelu, gelu},
    {Pointwise::gelu_tanh, gelu_tanh},
    {Pointwise::neg, [](TL&, const Tile& x, const Operand&) { return -x; }},
    {Pointwise::abs, [](TL& tl, const Tile& x, const Operand&) { return tl.abs(x); }},
    {Pointwise::exp, [](TL& tl, const Tile& x, const Operand&) { return tl.exp(x); }},
    {Pointwise::log, [](TL& tl, const Tile& x, const Operand&) { return tl.log(x); }},
    {Pointwise::sqrt, [](TL& tl, const Tile& x, const Operand&) { return tl.sqrt(x); }},
    {Pointwise::rsqrt, [](TL& tl, const Tile& x, const Operand&) { return tl.rsqrt(x); }},
    {Pointwise::sin, [](TL& tl, const Tile& x, const Operand&) { return tl.sin(x); }},
    {Pointwise::cos, [](TL& tl, const Tile& x, const Operand&) { return tl.cos(x); }},
    {Pointwise::tanh, [](TL& tl, const Tile& x, const Operand&) { return tl.tanh(x); }},
    {Pointwise::sigmoid, [](TL& tl, const Tile& x, const Operand&) { return tl.sigmoid(x); }},
    {Pointwise::cast, [](TL&, const Tile& x, const Operand&) { return x; }},
});
static_assert(oplog::in_order(kFunctions));

Descriptor blocks(TL& tl, const MatrixPart& part, const PointwiseArgs& args) {
  return tl.make_desc({.base = part.at,
                       .shape = {args.rows, args.cols},
                       .strides = {part.row_stride, 1},
                       .block = {args.block_rows, args.block_cols}});
}

Descriptor row_blocks(TL& tl, Ptr row, const PointwiseArgs& args) {
  return tl.make_desc({.base = row, .shape = {1, args.cols}, .block = {1, args.block_cols}});
}

// Applies the function to loaded tiles x and y; y is empty if it is a number.
Tile computed(TL& tl, const PointwiseArgs& args, const Tile& x, const Tile& y) {
  const Function of = kFunctions.at(static_cast<std::size_t>(args.op)).of;
  const Tile wide = x.to(args.compute);
  if (args.y_is != PointwiseArgs::Second::number) return of(tl, wide, y.to(args.compute));
  return args.integer ? of(tl, wide, static_cast<std::int64_t>(args.number)) : of(tl, wide, args.number);
}

Task<> pointwise(TL& tl, PointwiseArgs args) {
  const bool same_row = args.y_is == PointwiseArgs::Second::row;
  const bool each = args.y_is == PointwiseArgs::Second::block;
  const Descriptor x = blocks(tl, args.x, args);
  const Descriptor y =
      each ? blocks(tl, args.y, args) : row_blocks(tl, same_row ? args.y.at : args.x.at, args);
  const Descriptor out = blocks(tl, args.out, args);
  Pending<void> stored;
  for (std::int64_t col = 0; col < args.cols; col += args.block_cols) {
    Pending<Tile> y_coming;  // stays empty if it is a number
    if (same_row) y_coming = y.load({0, col});
    for (std::int64_t row = 0; row < args.rows; row += args.block_rows) {
      auto x_coming = x.load({row, col});
      if (each) y_coming = y.load({row, col});
      const Tile a = co_await x_coming;
      const Tile b = co_await y_coming;
      const Tile result = computed(tl, args, a, b);
      co_await stored;
      stored = out.store({row, col}, result.to(args.out.at.dtype));
    }
  }
  co_await stored;
}
KBSIM_KERNEL(pointwise, "a function of each element, and of a second operand");

}  // namespace
}  // namespace kbsim
