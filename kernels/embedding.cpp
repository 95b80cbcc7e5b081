// Looks up rows of a table that holds a part of the vocabulary. Rows outside of that part are 0.
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/operator_args.hpp"

namespace kbsim {
namespace {

Task<> embedding(TL& tl, EmbeddingArgs args) {
  for (std::int64_t i = 0; i < args.n; i += args.block) {
    const std::int64_t count = std::min(args.block, args.n - i);
    const Tile words = co_await tl.load(args.indices + i, {count}, args.indices.dtype);
    const Tile known = (words >= 0) & (words < args.vocabulary);
    tl.check_all(known, "index out of range in self");
    const Tile row = words - args.first;
    const Tile mine = (row >= 0) & (row < args.rows);
    const Tile found =
        co_await tl.gather(args.table, tl.where(mine, row, 0), {.row = args.cols, .rows = args.rows});
    const Tile result = tl.where(tl.unsqueeze(mine, 1), found, 0);
    co_await tl.store(args.out + i * args.cols, result.to(args.out.dtype));
  }
}
KBSIM_KERNEL(embedding, "rows of a table that indices name; zeros for those of other tables");

}  // namespace
}  // namespace kbsim
