// Weights and the end of some rows: common to the two ways of a product by blocks.
#include "kbsim/kernels/llm/block_work.hpp"

#include <algorithm>

#include "kbsim/kernels/llm/product.hpp"

namespace kbsim::llm::blocks {
namespace {

WeightBlock block_of(const ProductArgs& args, Ptr w, const Panel& panel, const Pass& pass) {
  const std::int64_t first = pass.cube.begin * args.x.cols + panel.columns.begin * pass.cube.size;
  return {w + first + (pass.columns.begin - pass.cube.begin), panel.columns.size, pass.columns.size,
          pass.cube.size};
}

std::vector<WeightBlock> blocks_of(const ProductArgs& args, const std::vector<Pass>& passes,
                                   const std::vector<Panel>& panels) {
  std::vector<WeightBlock> blocks;
  const int rounds = args.keeps_weights ? 1 : args.chunks;
  for (int round = 0; round < rounds; ++round) {
    for (const Pass& pass : passes) {
      for (const Panel& panel : panels) blocks.push_back(block_of(args, args.w, panel, pass));
      if (!args.gated) continue;
      for (const Panel& panel : panels) blocks.push_back(block_of(args, args.up, panel, pass));
    }
  }
  return blocks;
}

// The block of an activation that this PE has computed.
Descriptor computed(TL& tl, const BlockWork& work, const Activation& of, Shape block) {
  const PeGrid& grid = work.args.grid;
  return tl.make_desc({.base = of.part(grid, work.at),
                       .shape = {of.rows_of(grid, work.at.pe).size, of.columns_of(grid, work.at.cube).size},
                       .block = block});
}

}  // namespace

std::vector<Pass> passes_of(const ProductArgs& args, PePlace at) {
  const Part cube = args.y.columns_of(args.grid, at.cube);
  std::vector<Pass> passes;
  for (const Part& columns : cut_evenly(cube, columns_of_blocks(args.grid, args.x.rows, args.y.cols)))
    passes.push_back({cube, columns});
  return passes;
}

BlockWeights::BlockWeights(TL& tl, const ProductArgs& args, const std::vector<Pass>& passes,
                           const std::vector<Panel>& panels)
    : keeps_{args.keeps_weights && args.chunks > 1},
      panels_{panels.size()},
      stream_{tl, blocks_of(args, passes, panels)},
      tiles_(passes.size()) {
  stream_.start();
}

Task<Tile> BlockWeights::get(std::size_t pass, int matrix, std::size_t panel) {
  Tiles& tiles = tiles_[pass];
  const std::size_t number = static_cast<std::size_t>(matrix) * panels_ + panel;
  while (tiles.size() <= number) {
    const Tile tile = co_await stream_.next();
    tiles.push_back(tile);
  }
  co_return tiles[number];
}

void BlockWeights::end(std::size_t pass) {
  if (!keeps_) tiles_[pass].clear();
}

Task<> finish(TL& tl, BlockWork work, Part rows, ProductSums sums) {
  const ProductArgs& args = work.args;
  const Part columns = work.pass.columns;
  const Shape block{rows.size, columns.size};
  const std::int64_t row = rows.begin - work.rows.of(work.at.pe).begin + work.rows.within(work.at.pe).begin;
  const Shape first{row, columns.begin - work.pass.cube.begin};
  Pending<Tile> residual_loading;
  if (args.has_residual) residual_loading = computed(tl, work, args.residual, block).load(first);
  Biases biases{tl, args, columns};
  co_await biases.arrived();
  Tile y = epilogue(tl, args, sums, biases);
  if (args.has_residual) {
    const Tile residual = co_await residual_loading;
    y = with_residual(args, y, residual);
  }
  work.under_way->add(computed(tl, work, args.y, block).store(first, y));
}

}  // namespace kbsim::llm::blocks
