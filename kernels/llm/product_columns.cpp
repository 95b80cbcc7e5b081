// A product by columns: each PE computes some columns for all rows. Its weights stream from its HBM while the
// activation's panels come to it, one after the other.
#include <algorithm>
#include <utility>
#include <vector>

#include "kbsim/kernels/llm/package_sum.hpp"
#include "kbsim/kernels/llm/panel_gather.hpp"
#include "kbsim/kernels/llm/product_epilogue.hpp"
#include "kbsim/kernels/llm/to_rows.hpp"
#include "kbsim/kernels/llm/weight_stream.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm {

std::int64_t scratch_of_columns(const PeGrid& grid, std::int64_t m, std::int64_t k, std::int64_t n,
                                int chunks) {
  return chunk_rows(grid, m, 0, chunks).all * (k + slab_of(grid, n, {}).size);
}

// As many as the widest slab allows, so that all PEs have the same panels.
std::int64_t panel_of_columns(const PeGrid& grid, std::int64_t n, DType dtype) {
  constexpr std::int64_t kMostBlockBytes = 65536;  // of weights: the loads of panels wait for them
  constexpr std::int64_t kLeastBlockRows = 64;
  const std::int64_t row = slab_of(grid, n, {}).size * itemsize(dtype);
  return std::max(kMostBlockBytes / std::max<std::int64_t>(row, 1), kLeastBlockRows);
}

namespace columns {
namespace {

PanelGatherArgs gather_of(const ProductArgs& args, PePlace at, int chunk) {
  return {.grid = args.grid,
          .from = args.x,
          .columns = {0, args.x.cols},
          .buffer = args.scratch.of(args.grid, at),
          .chunk = chunk,
          .chunks = args.chunks,
          .widest = panel_of_columns(args.grid, args.y.cols, args.w.dtype)};
}

ToRowsArgs to_rows_of(const ProductArgs& args, PePlace at, int chunk) {
  const std::int64_t gathered = chunk_rows(args.grid, args.x.rows, 0, args.chunks).all * args.x.cols;
  return {.grid = args.grid,
          .to = args.y,
          .scratch = args.scratch.of(args.grid, at) + gathered,
          .chunk = chunk,
          .chunks = args.chunks};
}

// The blocks of this PE's slab in the order of the panels, those of w and up in turn; again for each chunk
// unless they are kept.
std::vector<WeightBlock> blocks_of(const ProductArgs& args, const std::vector<Panel>& panels, Part slab) {
  std::vector<WeightBlock> blocks;
  const int rounds = args.keeps_weights ? 1 : args.chunks;
  for (int round = 0; round < rounds && slab.size > 0; ++round) {
    for (const Panel& panel : panels) {
      const std::int64_t first = slab.begin * args.x.cols + panel.columns.begin * slab.size;
      const WeightBlock block{args.w + first, panel.columns.size, slab.size, slab.size};
      blocks.push_back(block);
      if (args.gated) blocks.push_back({args.up + first, block.rows, block.cols, block.row_stride});
    }
  }
  return blocks;
}

// The weights of one panel after the other. Kept ones are given again in every chunk.
class Weights {
 public:
  Weights(TL& tl, const ProductArgs& args, const std::vector<Panel>& panels, Part slab)
      : stream_{tl, blocks_of(args, panels, slab)}, keeps_{args.keeps_weights && args.chunks > 1} {
    stream_.start();
  }
  [[nodiscard]] Task<Tile> next(std::size_t number) {
    if (number < kept_.size()) co_return kept_[number];
    const Tile block = co_await stream_.next();
    if (keeps_) kept_.push_back(block);
    co_return block;
  }

 private:
  WeightStream stream_;
  bool keeps_;
  Tiles kept_;
};

Task<ProductSums> sums_of(TL& tl, ProductArgs args, PanelGather* x, Weights* weights, PackageSum* over) {
  ProductSums sums;
  std::size_t block = 0;
  for (std::size_t i = 0; i < x->panels().size(); ++i) {
    if (i == x->panels().size() / 2) co_await over->advance();
    co_await x->pass_on(i + kColumnsPanelsAhead);
    co_await x->arrived(i);
    auto loading = x->load(i);
    const Tile w = co_await weights->next(block++);
    const Tile panel = co_await loading;
    sums.add(tl, panel, w);
    if (!args.gated) continue;
    const Tile up = co_await weights->next(block++);
    sums.add_up(tl, panel, up);
  }
  co_return sums;
}

// A chunk's rows of this PE's part of an activation.
struct OwnBlock {
  Ptr at;
  Shape shape;
};
OwnBlock own_block(const ProductArgs& args, const Activation& of, PePlace at, int chunk) {
  const Part rows = chunk_rows(args.grid, of.rows, chunk, args.chunks).within(at.pe);
  const std::int64_t cols = of.columns_of(args.grid, at.cube).size;
  return {of.part(args.grid, at) + rows.begin * cols, {rows.size, cols}};
}

// Loads it before y is written, which may be the same memory.
Pending<Tile> load_residual(TL& tl, const ProductArgs& args, PePlace at, int chunk) {
  if (!args.has_residual) return {};
  const OwnBlock block = own_block(args, args.residual, at, chunk);
  if (block.shape.elements() == 0) return {};
  return tl.load(block.at, block.shape, block.at.dtype);
}

Task<> add_residual(TL& tl, ProductArgs args, PePlace at, int chunk, Tile residual) {
  const OwnBlock block = own_block(args, args.y, at, chunk);
  const Tile y = co_await tl.load(block.at, block.shape, block.at.dtype);
  co_await tl.store(block.at, with_residual(args, y, residual));
}

Task<> product_columns(TL& tl, ProductArgs args) {
  args.chunks = chunks_with_rows(args.grid, args.x.rows, args.chunks);
  const PePlace at = place_of(tl);
  const Part slab = slab_of(args.grid, args.y.cols, at);
  const PanelGather first{tl, gather_of(args, at, 0)};
  Weights weights{tl, args, first.panels(), slab};
  Biases biases{tl, args, slab};
  PackageSum over{tl, args, at};
  for (int chunk = 0; chunk < args.chunks; ++chunk) {
    PanelGather x{tl, gather_of(args, at, chunk)};
    auto residual_loading = load_residual(tl, args, at, chunk);
    Tile y;
    if (slab.size > 0) {
      const ProductSums sums = co_await sums_of(tl, args, &x, &weights, &over);
      if (chunk == 0) co_await biases.arrived();
      y = epilogue(tl, args, sums, biases);
    }
    co_await x.done();
    const Tile residual = co_await residual_loading;
    co_await to_rows(tl, to_rows_of(args, at, chunk), y);
    if (!residual.empty()) co_await add_residual(tl, args, at, chunk, residual);
    co_await over.add_chunk();
  }
  co_await over.done();
}
KBSIM_KERNEL(product_columns, "y = x w on all PEs of a package, each its columns for all rows");

}  // namespace
}  // namespace columns
}  // namespace kbsim::llm
