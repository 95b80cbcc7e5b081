// Tiled GEMM: the next tiles stream in while the present ones multiply, and the last block's store overlaps
// the next block's work.
#include "kbsim/kernels/matmul.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> gemm(TL& tl, GemmArgs g) {
  const Descriptor A = tl.make_desc({.base = g.a, .shape = {g.m, g.k}, .block = {g.block_m, g.block_k}});
  const Descriptor B = tl.make_desc({.base = g.b, .shape = {g.k, g.n}, .block = {g.block_k, g.block_n}});
  const Descriptor C = tl.make_desc({.base = g.c, .shape = {g.m, g.n}, .block = {g.block_m, g.block_n}});
  const std::int64_t columns = ceil_div(g.n, g.block_n);
  const std::int64_t blocks = ceil_div(g.m, g.block_m) * columns;

  Pending<void> stored;
  for (std::int64_t block = tl.program_id(0); block < blocks; block += g.programs) {
    const std::int64_t m = block / columns * g.block_m;
    const std::int64_t n = block % columns * g.block_n;
    auto next_a = A.load({m, 0});
    auto next_b = B.load({0, n});
    Tile acc = tl.zeros({g.block_m, g.block_n});
    for (std::int64_t k = 0; k < g.k; k += g.block_k) {
      const Tile a = co_await next_a;
      const Tile b = co_await next_b;
      if (k + g.block_k < g.k) {
        next_a = A.load({m, k + g.block_k});
        next_b = B.load({k + g.block_k, n});
      }
      acc = tl.dot(a, b, acc);
    }
    co_await stored;
    stored = C.store({m, n}, acc.to(g.c.dtype));
  }
  co_await stored;
}
KBSIM_KERNEL(gemm, "C = A B in blocks: loads double-buffered, stores deferred");

}  // namespace
}  // namespace kbsim
