// Root-mean-square normalisation of each row; the weight stays in TCM.
#include "kbsim/kernels/rowwise.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> rms_norm(TL& tl, RmsNormArgs args) {
  const Shape all{args.rows, args.cols};
  const Shape block{args.block_rows, args.cols};
  const Descriptor x = tl.make_desc({.base = args.x, .shape = all, .block = block});
  const Descriptor out = tl.make_desc({.base = args.out, .shape = all, .block = block});
  const Tile weight = co_await tl.load(args.weight, {1, args.cols}, args.weight.dtype);

  const auto columns = static_cast<double>(args.cols);
  const std::int64_t step = args.block_rows * args.programs;
  for (std::int64_t row = args.block_rows * tl.program_id(0); row < args.rows; row += step) {
    const Tile in = co_await x.load({row, 0});
    const Tile wide = in.to(f32);
    const Tile mean = tl.sum(wide * wide, {.axis = 1, .keep_dims = true}) / columns;
    const Tile result = wide * tl.rsqrt(mean + args.eps) * weight.to(f32);
    co_await out.store({row, 0}, result.to(args.out.dtype));
  }
}
KBSIM_KERNEL(rms_norm, "root-mean-square normalisation of each row");

}  // namespace
}  // namespace kbsim
