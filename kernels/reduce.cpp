// Reductions of tensors over one axis, in blocks.
#include <algorithm>
#include <optional>

#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/operator_args.hpp"

namespace kbsim {
namespace {

Tile reduced(TL& tl, ReductionArgs::Op op, const Tile& x) {
  switch (op) {
    case ReductionArgs::Op::max: return tl.max(x, {.axis = 1, .nan = Nan::propagate});
    case ReductionArgs::Op::min: return tl.min(x, {.axis = 1, .nan = Nan::propagate});
    case ReductionArgs::Op::norm: return tl.sum(x * x, {.axis = 1});
    case ReductionArgs::Op::sum: break;
  }
  return tl.sum(x, {.axis = 1});
}

Tile combined(TL& tl, ReductionArgs::Op op, const Tile& a, const Tile& b) {
  if (op == ReductionArgs::Op::max) return tl.maximum(a, b, {.nan = Nan::propagate});
  if (op == ReductionArgs::Op::min) return tl.minimum(a, b, {.nan = Nan::propagate});
  return a + b;
}

Tile finished(TL& tl, const ReductionArgs& args, const Tile& x) {
  const Tile result = args.op == ReductionArgs::Op::norm ? tl.sqrt(x) : x;
  return args.divisor == 1.0 ? result : result / args.divisor;
}

// A block that would reach beyond the end adds padding to sums, which is 0. For an extreme, which may see an
// element twice, it begins earlier.
std::int64_t block_start(const ReductionArgs& args, std::int64_t i) {
  const bool extreme = args.op == ReductionArgs::Op::max || args.op == ReductionArgs::Op::min;
  return extreme ? std::min(i, args.n - args.block_n) : i;
}

Task<> reduce(TL& tl, ReductionArgs args) {
  const Descriptor x = tl.make_desc({.base = args.x,
                                     .shape = {args.outer, args.n, args.inner},
                                     .strides = {args.outer_stride, args.n_stride, 1},
                                     .block = {args.block_outer, args.block_n, args.block_inner}});
  const Descriptor out = tl.make_desc(
      {.base = args.out, .shape = {args.outer, args.inner}, .block = {args.block_outer, args.block_inner}});
  for (std::int64_t row = 0; row < args.outer; row += args.block_outer) {
    for (std::int64_t col = 0; col < args.inner; col += args.block_inner) {
      std::optional<Tile> all;
      auto coming = x.load({row, std::int64_t{0}, col});
      for (std::int64_t i = 0; i < args.n; i += args.block_n) {
        const Tile block = co_await coming;
        const std::int64_t next = i + args.block_n;
        if (next < args.n) coming = x.load({row, block_start(args, next), col});
        const Tile part = reduced(tl, args.op, block.to(args.compute));
        all = all ? combined(tl, args.op, *all, part) : part;
      }
      const Tile result = finished(tl, args, *all);
      co_await out.store({row, col}, result.to(args.out.dtype));
    }
  }
}
KBSIM_KERNEL(reduce, "a sum, norm, maximum or minimum over one axis");

}  // namespace
}  // namespace kbsim
