// A product by depth: the PEs of a cube divide K. Each multiplies its columns of x by the rows of the weights
// in its own HBM, for all rows of x; then they add their sums, each those of its own rows.
#include <vector>

#include <kbsim/kernels/in_flight.hpp>
#include <kbsim/kernels/llm/panel_gather.hpp>
#include <kbsim/kernels/llm/product_epilogue.hpp>
#include <kbsim/kernels/llm/weight_stream.hpp>
#include <kbsim/tl/kernel.hpp>

namespace mine {
namespace {

using kbsim::f32, kbsim::Pending, kbsim::Ptr, kbsim::Shape, kbsim::Task, kbsim::Tile, kbsim::TL;
using namespace kbsim::llm;

constexpr std::int64_t kPanelRows = 256;  // of weights, loaded at once

// This PE's part of a chunk of rows.
struct Own {
  ProductArgs args;
  PePlace at;
  ChunkRows rows;

  Part k() const { return part_of(args.x.cols, at.pe, args.grid.pes); }
  std::vector<Part> panels() const { return cut_evenly(k(), kPanelRows); }
  Part columns() const { return args.y.columns_of(args.grid, at.cube); }
  // Columns of the cube, so many at once that the sums of a PE's rows fit a slot.
  std::vector<Part> passes() const {
    const std::int64_t sums = args.grid.slot_bytes / kbsim::itemsize(f32);
    return cut_evenly(columns(),
                      std::max<std::int64_t>(sums / std::max<std::int64_t>(rows.of(0).size, 1), 1));
  }
  Shape sums_of(int pe, Part pass) const { return {rows.of(pe).size, pass.size}; }
  int matrices() const { return args.gated ? 2 : 1; }
};

std::vector<WeightBlock> blocks_of(const Own& own) {
  const std::int64_t width = own.columns().size;
  std::vector<WeightBlock> blocks;
  for (const Part pass : own.passes()) {
    for (const Part panel : own.panels()) {
      const std::int64_t first =
          own.columns().begin * own.args.x.cols + panel.begin * width + (pass.begin - own.columns().begin);
      blocks.push_back({own.args.w + first, panel.size, pass.size, width});
      if (own.args.gated) blocks.push_back({own.args.up + first, panel.size, pass.size, width});
    }
  }
  return blocks;
}

// The sums over this PE's part of K, by the PE whose rows they are of.
Task<std::vector<ProductSums>> partial_sums(TL& tl, Own own, PanelGather* x, WeightStream* weights) {
  std::vector<ProductSums> sums(static_cast<std::size_t>(own.args.grid.pes));
  for (const Part panel : own.panels()) {
    const Tile w = co_await weights->next();
    Tile up;
    if (own.args.gated) up = co_await weights->next();
    for (int pe = 0; pe < own.args.grid.pes; ++pe) {
      if (own.rows.of(pe).size == 0) continue;
      const Tile block = co_await x->block(own.rows.of(pe), panel);
      ProductSums& of_pe = sums[static_cast<std::size_t>(pe)];
      of_pe.add(tl, block, w);
      if (own.args.gated) of_pe.add_up(tl, block, up);
    }
  }
  co_return sums;
}

Tile or_zeros(TL& tl, const Tile& sum, Shape shape) { return sum.empty() ? tl.zeros(shape) : sum; }

void send_sums(TL& tl, const Own& own, Part pass, const std::vector<ProductSums>& sums,
               kbsim::collective::InFlight* sends) {
  for (int pe = 0; pe < own.args.grid.pes; ++pe) {
    const Shape shape = own.sums_of(pe, pass);
    if (pe == own.at.pe || shape.elements() == 0) continue;
    const ProductSums& of_pe = sums[static_cast<std::size_t>(pe)];
    sends->add(tl.send({.dir = queue_to(Along::cube, pe), .src = or_zeros(tl, of_pe.sum, shape)}));
    if (own.args.gated)
      sends->add(tl.send({.dir = queue_to(Along::cube, pe), .src = or_zeros(tl, of_pe.up, shape)}));
  }
}

std::vector<Pending<Tile>> expect_sums(TL& tl, const Own& own, Part pass) {
  std::vector<Pending<Tile>> coming;
  for (int pe = 0; pe < own.args.grid.pes; ++pe) {
    for (int matrix = 0; pe != own.at.pe && matrix < own.matrices(); ++matrix)
      coming.push_back(
          tl.recv({.dir = queue_to(Along::cube, pe), .shape = own.sums_of(own.at.pe, pass), .dtype = f32}));
  }
  return coming;
}

// The sums of this PE's rows over all of K, added in the order of the PEs.
Task<ProductSums> total(TL& tl, Own own, Part pass, ProductSums mine, std::vector<Pending<Tile>> coming) {
  const Shape shape = own.sums_of(own.at.pe, pass);
  ProductSums all{.sum = tl.zeros(shape), .up = own.args.gated ? tl.zeros(shape) : Tile{}};
  std::size_t next = 0;
  for (int pe = 0; pe < own.args.grid.pes; ++pe) {
    for (int matrix = 0; matrix < own.matrices(); ++matrix) {
      Tile part = or_zeros(tl, matrix == 0 ? mine.sum : mine.up, shape);
      if (pe != own.at.pe) part = co_await coming[next++];
      Tile& sum = matrix == 0 ? all.sum : all.up;
      sum = sum + part;
    }
  }
  co_return all;
}

Task<> finish(TL& tl, Own own, Part pass, ProductSums sums) {
  const auto block_of = [&](const Activation& of) {
    const Shape all{of.rows_of(own.args.grid, own.at.pe).size, own.columns().size};
    return tl.make_desc(
        {.base = of.part(own.args.grid, own.at), .shape = all, .block = own.sums_of(own.at.pe, pass)});
  };
  const Shape first{own.rows.within(own.at.pe).begin, pass.begin - own.columns().begin};
  Biases biases{tl, own.args, pass};
  co_await biases.arrived();
  Tile y = epilogue(tl, own.args, sums, biases);
  if (own.args.has_residual) {
    const Tile residual = co_await block_of(own.args.residual).load(first);
    y = with_residual(own.args, y, residual);
  }
  co_await block_of(own.args.y).store(first, y);
}

Task<> product_depth(TL& tl, ProductArgs args) {
  args.chunks = chunks_with_rows(args.grid, args.x.rows, args.chunks);
  const PePlace at = place_of(tl);
  for (int chunk = 0; chunk < args.chunks; ++chunk) {
    const Own own{args, at, chunk_rows(args.grid, args.x.rows, chunk, args.chunks)};
    WeightStream weights{tl, blocks_of(own)};
    weights.start();
    PanelGather x{tl,
                  {.grid = args.grid,
                   .from = args.x,
                   .columns = {0, args.x.cols},
                   .buffer = args.scratch.of(args.grid, at),
                   .chunk = chunk,
                   .chunks = args.chunks}};
    co_await x.done();
    kbsim::collective::InFlight sends;
    for (const Part pass : own.passes()) {
      const bool has_rows = own.rows.of(at.pe).size > 0;
      std::vector<Pending<Tile>> coming;
      if (has_rows) coming = expect_sums(tl, own, pass);
      const std::vector<ProductSums> sums = co_await partial_sums(tl, own, &x, &weights);
      send_sums(tl, own, pass, sums, &sends);
      if (has_rows) {
        const ProductSums all =
            co_await total(tl, own, pass, sums[static_cast<std::size_t>(at.pe)], std::move(coming));
        co_await finish(tl, own, pass, all);
      }
      co_await sends.end_step();
    }
    co_await sends.done();
  }
}
KBSIM_KERNEL(product_depth, "y = x w on all PEs of a package, each a part of K for its cube's columns");

}  // namespace
}  // namespace mine
