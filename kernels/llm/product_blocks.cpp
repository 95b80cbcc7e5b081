// A product by rows: each PE computes its own rows for all columns of its cube. Each block of weights is read
// by one PE of the cube, which sends it to the others.
#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/llm/panel_gather.hpp"
#include "kbsim/kernels/llm/product_epilogue.hpp"
#include "kbsim/kernels/llm/weight_stream.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm {

std::int64_t scratch_of_blocks(const PeGrid& grid, std::int64_t m, std::int64_t k, int chunks) {
  return part_of(part_of(m, 0, grid.pes).size, 0, chunks).size * k;
}

namespace blocks {
namespace {

constexpr std::int64_t kBlockRows = 64;  // of weights, if a slot has room for them

std::int64_t slot_elements(const ProductArgs& args) {
  return std::max<std::int64_t>(args.grid.slot_bytes / itemsize(args.w.dtype), 1);
}

// Columns of a cube that are computed at once: a slot has room for a block of kBlockRows of them.
std::int64_t columns_at_once(const ProductArgs& args) {
  const std::int64_t cols = args.y.columns_of(args.grid, 0).size;
  const std::int64_t most = std::max<std::int64_t>(slot_elements(args) / kBlockRows, 1);
  return part_of(cols, 0, std::max<std::int64_t>((cols + most - 1) / most, 1)).size;
}

PanelGatherArgs gather_of(const ProductArgs& args, PePlace at, int chunk) {
  return {.grid = args.grid,
          .from = args.x,
          .columns = {0, args.x.cols},
          .buffer = args.scratch.of(args.grid, at),
          .of = Gathered::own_rows,
          .chunk = chunk,
          .chunks = args.chunks,
          .widest = std::max<std::int64_t>(slot_elements(args) / columns_at_once(args), 1),
          .ends = args.grid.pes};
}

// A block of weights: those of a panel, which one PE of the cube has in its HBM.
struct Step {
  std::size_t panel = 0;
  int owner = 0;
};

// One block of each owner in turn, so that all memories and all PEs' ports are busy.
std::vector<std::vector<Step>> rounds_of(const ProductArgs& args, const std::vector<Panel>& panels) {
  std::vector<std::vector<Step>> rounds;
  for (int owner = 0; owner < args.grid.pes; ++owner) {
    const Part rows = part_of(args.x.cols, owner, args.grid.pes);
    std::size_t round = 0;
    for (std::size_t panel = 0; panel < panels.size(); ++panel) {
      if (common(panels[panel].columns, rows).size == 0) continue;
      if (round == rounds.size()) rounds.emplace_back();
      rounds[round++].push_back({panel, owner});
    }
  }
  return rounds;
}

// Columns that are computed at once, of those of the cube.
struct Pass {
  Part cube;
  Part columns;
};

WeightBlock block_of(const ProductArgs& args, Ptr w, const Panel& panel, const Pass& pass) {
  const std::int64_t first = pass.cube.begin * args.x.cols + panel.columns.begin * pass.cube.size;
  return {w + first + (pass.columns.begin - pass.cube.begin), panel.columns.size, pass.columns.size,
          pass.cube.size};
}

// Blocks of weights of one cube, those of w and of up one after the other for each step.
class SharedWeights {
 public:
  SharedWeights(TL& tl, const ProductArgs& args, PePlace at, std::vector<Panel> panels,
                std::vector<Pass> passes, const ChunkRows& rows)
      : tl_{tl},
        args_{args},
        at_{at},
        panels_{std::move(panels)},
        rounds_{rounds_of(args, panels_)},
        passes_{std::move(passes)},
        rows_{rows},
        stream_{tl, own_blocks()} {
    stream_.start();
  }

  [[nodiscard]] const std::vector<std::vector<Step>>& rounds() const { return rounds_; }

  /// Sends this PE's blocks of a round to the PEs that have rows, and expects those of the others.
  [[nodiscard]] Task<> begin(std::size_t round, Pass pass) {
    co_await sends_.end_step();
    for (const Step& step : rounds_[round]) {
      for (int matrix = 0; matrix < matrices(); ++matrix) {
        if (step.owner == at_.pe) {
          const Tile own = co_await stream_.next();
          send(own);
          own_.push_back(own);
        } else if (rows_.of(at_.pe).size > 0) {
          arrives_.push_back(tl_.recv({.dir = queue_to(Along::cube, step.owner),
                                       .shape = {panels_[step.panel].columns.size, pass.columns.size},
                                       .dtype = args_.w.dtype}));
        }
      }
    }
  }
  /// The next block of a step, in the order of the rounds.
  [[nodiscard]] Task<Tile> next(Step step) {
    if (step.owner == at_.pe) {
      Tile own = std::move(own_.front());
      own_.pop_front();
      co_return own;
    }
    const Tile block = co_await arrives_.front();
    arrives_.pop_front();
    co_return block;
  }
  /// The sums that the blocks of a step are for, in their order.
  [[nodiscard]] std::vector<Tile*> sums_of(ProductSums* sums) const {
    if (args_.gated) return {&sums->sum, &sums->up};
    return {&sums->sum};
  }
  /// A PE without rows has sent its blocks, and needs none.
  void drop() { own_.clear(); }
  [[nodiscard]] Task<> done() { return sends_.done(); }

 private:
  [[nodiscard]] int matrices() const { return args_.gated ? 2 : 1; }
  [[nodiscard]] std::vector<WeightBlock> own_blocks() const {
    std::vector<WeightBlock> blocks;
    for (const Pass& pass : passes_) {
      for (const std::vector<Step>& round : rounds_) {
        for (const Step& step : round) {
          if (step.owner != at_.pe) continue;
          blocks.push_back(block_of(args_, args_.w, panels_[step.panel], pass));
          if (args_.gated) blocks.push_back(block_of(args_, args_.up, panels_[step.panel], pass));
        }
      }
    }
    return blocks;
  }
  void send(const Tile& own) {
    for (int i = 1; i < args_.grid.pes; ++i) {
      const int to = (at_.pe + i) % args_.grid.pes;
      if (rows_.of(to).size > 0) sends_.add(tl_.send({.dir = queue_to(Along::cube, to), .src = own}));
    }
  }

  TL& tl_;
  ProductArgs args_;
  PePlace at_;
  std::vector<Panel> panels_;
  std::vector<std::vector<Step>> rounds_;
  std::vector<Pass> passes_;
  ChunkRows rows_;
  WeightStream stream_;
  std::deque<Tile> own_;
  std::deque<Pending<Tile>> arrives_;
  collective::InFlight sends_;
};

// The products of a block of weights, of w and of up. A tile is let go before the next one is awaited: it has
// a slot that the next one may need.
Task<> multiply(TL& tl, PanelGather* x, Step step, SharedWeights* weights, ProductSums* sums) {
  co_await x->arrived(step.panel);
  const Tile panel = co_await x->load(step.panel);
  for (Tile* const sum : weights->sums_of(sums)) {
    const Tile w = co_await weights->next(step);
    *sum = sum->empty() ? tl.dot(panel, w) : tl.dot(panel, w, *sum);
  }
}

Task<ProductSums> sums_of(TL& tl, PanelGather* x, Pass pass, SharedWeights* weights) {
  ProductSums sums;
  const std::size_t count = weights->rounds().size();
  if (count > 0) co_await weights->begin(0, pass);
  for (std::size_t round = 0; round < count; ++round) {
    if (round + 1 < count) co_await weights->begin(round + 1, pass);
    if (x->rows() == 0) {
      weights->drop();
      continue;
    }
    for (const Step step : weights->rounds()[round]) co_await multiply(tl, x, step, weights, &sums);
  }
  co_return sums;
}

// The block of an activation that this PE has computed.
Descriptor computed(TL& tl, const ProductArgs& args, const Activation& of, PePlace at, Shape block) {
  return tl.make_desc({.base = of.part(args.grid, at),
                       .shape = {of.rows_of(args.grid, at.pe).size, of.columns_of(args.grid, at.cube).size},
                       .block = block});
}

Task<> finish(TL& tl, ProductArgs args, PePlace at, Part rows, Pass pass, ProductSums sums) {
  const Shape block{rows.size, pass.columns.size};
  const Shape first{rows.begin, pass.columns.begin - pass.cube.begin};
  Pending<Tile> residual_loading;
  if (args.has_residual) residual_loading = computed(tl, args, args.residual, at, block).load(first);
  Biases biases{tl, args, pass.columns};
  co_await biases.arrived();
  Tile y = epilogue(tl, args, sums, biases);
  if (args.has_residual) {
    const Tile residual = co_await residual_loading;
    y = with_residual(args, y, residual);
  }
  co_await computed(tl, args, args.y, at, block).store(first, y);
}

std::vector<Pass> passes_of(const ProductArgs& args, PePlace at) {
  const Part cube = args.y.columns_of(args.grid, at.cube);
  std::vector<Pass> passes;
  for (const Part& columns : cut_evenly(cube, columns_at_once(args))) passes.push_back({cube, columns});
  return passes;
}

Task<> product_blocks(TL& tl, ProductArgs args) {
  args.chunks = chunks_with_rows(args.grid, args.x.rows, args.chunks);
  const PePlace at = place_of(tl);
  const std::vector<Pass> passes = passes_of(args, at);
  for (int chunk = 0; chunk < args.chunks; ++chunk) {
    const ChunkRows rows = chunk_rows(args.grid, args.x.rows, chunk, args.chunks);
    PanelGather x{tl, gather_of(args, at, chunk)};
    SharedWeights weights{tl, args, at, x.panels(), passes, rows};
    for (const Pass pass : passes) {
      const ProductSums sums = co_await sums_of(tl, &x, pass, &weights);
      if (x.rows() > 0) co_await finish(tl, args, at, rows.within(at.pe), pass, sums);
    }
    co_await x.done();
    co_await weights.done();
  }
}
KBSIM_KERNEL(product_blocks, "y = x w on all PEs of a package, each its rows for the columns of its cube");

}  // namespace
}  // namespace blocks
}  // namespace kbsim::llm
