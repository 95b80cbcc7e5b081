// Layer normalisation of each row; weight and bias stay in TCM.
#include "kbsim/kernels/rowwise.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> layer_norm(TL& tl, LayerNormArgs args) {
  const Shape all{args.rows, args.cols};
  const Shape block{args.block_rows, args.cols};
  const Descriptor x = tl.make_desc({.base = args.x, .shape = all, .block = block});
  const Descriptor out = tl.make_desc({.base = args.out, .shape = all, .block = block});
  auto weight_coming = tl.load(args.weight, {1, args.cols}, args.weight.dtype);
  auto bias_coming = tl.load(args.bias, {1, args.cols}, args.bias.dtype);
  const Tile weight = co_await weight_coming;
  const Tile bias = co_await bias_coming;

  const auto columns = static_cast<double>(args.cols);
  const std::int64_t step = args.block_rows * args.programs;
  for (std::int64_t row = args.block_rows * tl.program_id(0); row < args.rows; row += step) {
    const Tile in = co_await x.load({row, 0});
    const Tile wide = in.to(f32);
    const Tile centred = wide - tl.sum(wide, {.axis = 1, .keep_dims = true}) / columns;
    const Tile variance = tl.sum(centred * centred, {.axis = 1, .keep_dims = true}) / columns;
    const Tile normal = centred * tl.rsqrt(variance + args.eps);
    const Tile result = normal * weight.to(f32) + bias.to(f32);
    co_await out.store({row, 0}, result.to(args.out.dtype));
  }
}
KBSIM_KERNEL(layer_norm, "layer normalisation of each row");

}  // namespace
}  // namespace kbsim
