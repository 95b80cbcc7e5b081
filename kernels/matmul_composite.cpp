// C = A B by one composite: the scheduler cuts it into tiles and pipelines DMA and GEMM by itself.
#include "kbsim/kernels/matmul.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> matmul_composite(TL& tl, MatmulArgs args) {
  const std::int64_t pid = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  const Ref a = tl.ref(args.a, {args.m, args.k}, args.a.dtype);
  const Ref b = tl.ref(args.b + pid * args.k * args.n, {args.k, args.n}, args.b.dtype);
  const Ref c = tl.ref(args.c + pid * args.m * args.n, {args.m, args.n}, args.c.dtype);
  if (args.staging == Staging::ref_ref) {
    co_await tl.composite({.op = Op::gemm, .a = a, .b = b, .out = c});
    co_return;
  }
  const Tile a_tile = co_await tl.load(a.ptr, a.shape, a.ptr.dtype);
  if (args.staging == Staging::load_ref) {
    co_await tl.composite({.op = Op::gemm, .a = a_tile, .b = b, .out = c});
    co_return;
  }
  const Tile b_tile = co_await tl.load(b.ptr, b.shape, b.ptr.dtype);
  co_await tl.composite({.op = Op::gemm, .a = a_tile, .b = b_tile, .out = c});
}
KBSIM_KERNEL(matmul_composite, "C = A B by one composite, operands in memory or loaded before");

}  // namespace
}  // namespace kbsim
