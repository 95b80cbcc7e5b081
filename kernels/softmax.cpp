// Fused softmax: each row is read once and written once.
#include "kbsim/kernels/rowwise.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> softmax(TL& tl, SoftmaxArgs args) {
  const Shape all{args.rows, args.cols};
  const Shape block{args.block_rows, args.cols};
  const Descriptor x = tl.make_desc({.base = args.x, .shape = all, .block = block});
  const Descriptor out = tl.make_desc({.base = args.out, .shape = all, .block = block});

  const std::int64_t step = args.block_rows * args.programs;
  for (std::int64_t row = args.block_rows * tl.program_id(0); row < args.rows; row += step) {
    const Tile in = co_await x.load({row, 0});
    const Tile wide = in.to(f32);
    const Tile e = tl.exp(wide - tl.max(wide, {.axis = 1, .keep_dims = true}));
    const Tile result = e / tl.sum(e, {.axis = 1, .keep_dims = true});
    co_await out.store({row, 0}, result.to(args.out.dtype));
  }
}
KBSIM_KERNEL(softmax, "softmax of each row, fused");

}  // namespace
}  // namespace kbsim
