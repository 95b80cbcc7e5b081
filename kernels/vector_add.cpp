// Vector addition, as in Triton's first tutorial: out = x + y; the last block may be shorter.
#include "kbsim/kernels/elementwise.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> vector_add(TL& tl, VectorAddArgs args) {
  const Descriptor x = tl.make_desc({.base = args.x, .shape = {args.n}, .block = {args.block}});
  const Descriptor y = tl.make_desc({.base = args.y, .shape = {args.n}, .block = {args.block}});
  const Descriptor out = tl.make_desc({.base = args.out, .shape = {args.n}, .block = {args.block}});

  const std::int64_t step = args.block * args.programs;
  for (std::int64_t i = args.block * tl.program_id(0); i < args.n; i += step) {
    auto x_coming = x.load({i});
    auto y_coming = y.load({i});
    const Tile a = co_await x_coming;
    const Tile b = co_await y_coming;
    const Tile sum = (a + b).to(args.out.dtype);
    co_await out.store({i}, sum);
  }
}
KBSIM_KERNEL(vector_add, "out = x + y, block by block");

}  // namespace
}  // namespace kbsim
