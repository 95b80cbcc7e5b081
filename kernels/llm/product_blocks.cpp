// A product by blocks: each PE multiplies its part of the activation's columns by its rows of the weights,
// for all rows and the columns of its cube. The PEs of a cube add up these sums.
#include <algorithm>
#include <deque>
#include <vector>

#include "kbsim/kernels/llm/block_work.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm {

std::int64_t scratch_of_rows(const PeGrid& grid, std::int64_t m, std::int64_t k, int chunks) {
  return chunk_rows(grid, m, 0, chunks).all * part_of(k, 0, grid.pes).size * (chunks > 1 ? 2 : 1);
}

std::int64_t scratch_of_blocks(const PeGrid& grid, std::int64_t m, std::int64_t k, std::int64_t n,
                               int chunks) {
  constexpr std::int64_t kPerSum = 4;  // elements of the least size, one byte
  const std::int64_t sums = 2 * m * columns_of_blocks(grid, m, n) * kPerSum;
  return scratch_of_rows(grid, m, k, chunks) + (blocks::few_rows(grid, m) ? sums : 0);
}

std::int64_t columns_of_blocks(const PeGrid& grid, std::int64_t m, std::int64_t n) {
  const std::int64_t most = std::max<std::int64_t>(grid.slot_bytes / itemsize(f32) / piece_rows(grid, m), 1);
  const std::int64_t cols = part_of(n, 0, grid.cubes()).size;
  return part_of(cols, 0, (cols + most - 1) / most).size;
}

namespace blocks {

bool few_rows(const PeGrid& grid, std::int64_t m) { return 2 * part_of(m, 0, grid.pes).size <= kPieceRows; }

namespace {

PartGatherArgs gather_of(const ProductArgs& args, PePlace at, int chunk) {
  const std::int64_t each = scratch_of_rows(args.grid, args.x.rows, args.x.cols, args.chunks) / 2;
  return {.grid = args.grid,
          .from = args.x,
          .buffer = args.scratch.of(args.grid, at) + chunk % 2 * each,
          .chunk = chunk,
          .chunks = args.chunks,
          .by_panel = few_rows(args.grid, args.x.rows)};
}

Task<> multiply(TL& tl, BlockWork work, std::vector<Pass> passes) {
  for (work.number = 0; work.number < passes.size(); ++work.number) {
    work.pass = passes[work.number];
    if (few_rows(work.args.grid, work.args.x.rows))
      co_await join_sums(tl, work);
    else
      co_await pass_sums_on(tl, work);
    work.weights->end(work.number);
  }
  co_await work.x->done();  // a cube without columns sends rows on, too
}

Task<> product_blocks(TL& tl, ProductArgs args) {
  args.chunks = chunks_with_rows(args.grid, args.x.rows, args.chunks);
  const PePlace at = place_of(tl);
  const std::vector<Pass> passes = passes_of(args, at);
  std::deque<PartGather> x;
  x.emplace_back(tl, gather_of(args, at, 0));
  BlockWeights weights{tl, args, passes, x.front().panels()};
  collective::InFlight under_way;
  PackageSum over{tl, args, at};
  co_await x.front().start();
  for (int chunk = 0; chunk < args.chunks; ++chunk) {
    const bool more = chunk + 1 < args.chunks;
    if (more) x.emplace_back(tl, gather_of(args, at, chunk + 1));
    if (more) co_await x.back().start();
    const ChunkRows rows = chunk_rows(args.grid, args.x.rows, chunk, args.chunks);
    const BlockWork work{.args = args,
                         .at = at,
                         .pass = {},
                         .rows = rows,
                         .x = &x.front(),
                         .weights = &weights,
                         .under_way = &under_way,
                         .over = &over};
    co_await multiply(tl, work, passes);
    x.pop_front();
    if (args.over.packages > 1) co_await under_way.done();  // the chunk's rows lie in y
    co_await over.add_chunk();
  }
  co_await under_way.done();
  co_await over.done();
}
KBSIM_KERNEL(product_blocks,
             "y = x w on all PEs of a package, each a part of all sums, which its cube adds up");

}  // namespace
}  // namespace blocks
}  // namespace kbsim::llm
