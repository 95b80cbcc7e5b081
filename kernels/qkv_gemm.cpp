// The three projections of an attention layer, a composite each: the next one's loads begin while the last
// tiles of one are multiplied.
#include "kbsim/kernels/matmul.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> qkv_gemm(TL& tl, QkvArgs args) {
  const std::int64_t pid = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  const Shape weights{args.d_model, args.columns};
  const Shape result{args.rows, args.columns};
  Pending<Tile> x_coming;
  if (args.load_x) x_coming = tl.load(args.x, {args.rows, args.d_model}, args.x.dtype);
  const Tile x_tile = co_await x_coming;  // empty if it is streamed
  const Ref x_ref = tl.ref(args.x, {args.rows, args.d_model}, args.x.dtype);
  const CompositeOperand x = args.load_x ? CompositeOperand{x_tile} : CompositeOperand{x_ref};

  const Ptr w[]{args.wq, args.wk, args.wv};
  const Ptr out[]{args.q, args.k, args.v};
  Pending<Tile> done[3];
  for (int i = 0; i < 3; ++i) {
    const Ref wi = tl.ref(w[i] + pid * weights.elements(), weights, w[i].dtype);
    const Ref oi = tl.ref(out[i] + pid * result.elements(), result, out[i].dtype);
    done[i] = tl.composite({.op = Op::gemm, .a = x, .b = wi, .out = oi});
  }
  for (Pending<Tile>& product : done) co_await product;
}
KBSIM_KERNEL(qkv_gemm, "Q, K and V = X Wq, X Wk, X Wv by three composites");

}  // namespace
}  // namespace kbsim
