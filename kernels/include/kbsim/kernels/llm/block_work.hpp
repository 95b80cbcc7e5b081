#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/llm/package_sum.hpp"
#include "kbsim/kernels/llm/part_gather.hpp"
#include "kbsim/kernels/llm/product_epilogue.hpp"
#include "kbsim/kernels/llm/weight_stream.hpp"

namespace kbsim::llm::blocks {

/// Columns that are computed at once, of those of the cube.
struct Pass {
  Part cube;
  Part columns;
};
[[nodiscard]] std::vector<Pass> passes_of(const ProductArgs& args, PePlace at);

/// A PE's weights, a pass after the other: all panels of w, then all of up. They stay in TCM for the pass, or
/// for all chunks.
class BlockWeights {
 public:
  BlockWeights(TL& tl, const ProductArgs& args, const std::vector<Pass>& passes,
               const std::vector<Panel>& panels);
  /// `matrix` is 0 for w, 1 for up.
  [[nodiscard]] Task<Tile> get(std::size_t pass, int matrix, std::size_t panel);
  /// The pass is over for this chunk.
  void end(std::size_t pass);

 private:
  bool keeps_;
  std::size_t panels_;
  WeightStream stream_;
  std::vector<Tiles> tiles_;
};

/// A PE's work: a chunk of rows and a pass of columns.
struct BlockWork {
  ProductArgs args;
  PePlace at;
  Pass pass;
  std::size_t number = 0;  // of the pass
  ChunkRows rows;
  PartGather* x = nullptr;
  BlockWeights* weights = nullptr;
  collective::InFlight* under_way = nullptr;  // sends and stores
  PackageSum* over = nullptr;

  [[nodiscard]] int matrices() const { return args.gated ? 2 : 1; }
};

/// Whether m rows are so few that each PE multiplies all of them at once: a group's rows would not
/// fill a tile of the GEMM engine.
[[nodiscard]] bool few_rows(const PeGrid& grid, std::int64_t m);

/// The sums of few rows: each PE sends its sums of a group's rows to the PE whose rows they are, which adds
/// them all.
[[nodiscard]] Task<> join_sums(TL& tl, BlockWork work);
/// The sums of many rows: those of each group go round the cube from PE to PE, and each PE adds its product.
[[nodiscard]] Task<> pass_sums_on(TL& tl, BlockWork work);

/// Stores the rows of y that have these sums, some of this PE's rows of the chunk.
[[nodiscard]] Task<> finish(TL& tl, BlockWork work, Part rows, ProductSums sums);

}  // namespace kbsim::llm::blocks
