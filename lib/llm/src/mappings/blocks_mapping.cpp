// Each PE multiplies a part of the activation's columns, and sums go from PE to PE: product_blocks.
#include <algorithm>

#include "kbsim/kernels/llm/block_work.hpp"
#include "kbsim/llm/product_mapping.hpp"

#include "product_chunks.hpp"
#include "product_times.hpp"

namespace kbsim::inference {
namespace {

constexpr std::int64_t kTileBytes = 524288;  // of results, biases and residuals

class BlocksMapping final : public IMapping {
 public:
  [[nodiscard]] MappedProduct map(const Product& product, const PackageSite& site,
                                  Bytes room) const override {
    MappedProduct mapped{.kernel = "product_blocks",
                         .weight = {.cube = topology::Split::column_wise, .pe = topology::Split::row_wise},
                         .bias = {.cube = topology::Split::column_wise},
                         .adds_up = product.adds_up};
    for (const std::int64_t rows : product.rows) mapped.steps.push_back(step(product, rows, site, room));
    return mapped;
  }

 private:
  // A PE's part of a product.
  struct Share {
    std::int64_t k;        // columns of the activation
    std::int64_t n;        // columns of its cube
    std::int64_t at_once;  // of these
    Bytes weights;
  };
  static Share share_of(const Product& product, std::int64_t rows, const PackageSite& site) {
    const std::int64_t k = llm::part_of(product.k, 0, site.grid.pes).size;
    const std::int64_t n = llm::part_of(product.n, 0, site.grid.cubes()).size;
    return {.k = k,
            .n = n,
            .at_once = llm::columns_of_blocks(site.grid, rows, product.n),
            .weights = Bytes{product.matrices() * k * n * itemsize(product.dtype)}};
  }

  static ProductStep step(const Product& product, std::int64_t rows, const PackageSite& site, Bytes room) {
    const std::int64_t element = itemsize(product.dtype);
    const Share share = share_of(product, rows, site);
    const ChunkLimits limits{.rows_of_pe = llm::part_of(rows, 0, site.grid.pes).size,
                             .least_kept = llm::kPieceRows,
                             .room = room,
                             .element_bytes = element,
                             .wanted = product.adds_up ? kOverlappedChunks : 1};
    ProductStep found = fewest_chunks(limits, [&](int chunks, bool keeps) {
      const std::int64_t at_once = llm::chunk_rows(site.grid, rows, 0, chunks).all;
      const std::int64_t of_pe = (at_once + site.grid.pes - 1) / site.grid.pes;
      const Bytes x{at_once * share.k * element};
      const Bytes sums{4 * of_pe * share.at_once * 4 * product.matrices()};  // of two turns, sent and new
      const Bytes of_two_passes{2 * product.matrices() * share.k * share.at_once * element};
      return ProductStep{.chunks = chunks,
                         .keeps_weights = keeps,
                         .scratch = llm::scratch_of_blocks(site.grid, rows, product.k, product.n, chunks),
                         .tiles = x + sums +
                                  (keeps ? share.weights : std::min(share.weights, of_two_passes)) +
                                  Bytes{kTileBytes}};
    });
    found.estimate = blocks_time(product, rows, site, found);
    return found;
  }
};
KBSIM_MAPPING(
    blocks, BlocksMapping,
    "each PE multiplies a part of the activation's columns by its rows of the weights; sums go from "
    "PE to PE");

}  // namespace
}  // namespace kbsim::inference
