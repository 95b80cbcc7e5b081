// Each PE computes some columns of a product for all rows: product_columns.
#include <algorithm>

#include "kbsim/kernels/llm/to_rows.hpp"
#include "kbsim/llm/product_mapping.hpp"

#include "product_chunks.hpp"
#include "product_times.hpp"

namespace kbsim::inference {
namespace {

constexpr std::int64_t kBlocks = 4;     // of weights, under way and in use
constexpr std::int64_t kSumTiles = 4;   // of the epilogue, beside the sums
constexpr std::int64_t kTileRows = 32;  // of the GEMM engine

class ColumnsMapping final : public IMapping {
 public:
  [[nodiscard]] MappedProduct map(const Product& product, const PackageSite& site,
                                  Bytes room) const override {
    MappedProduct mapped{.kernel = "product_columns",
                         .weight = {.cube = topology::Split::column_wise, .pe = topology::Split::column_wise},
                         .bias = {.cube = topology::Split::column_wise, .pe = topology::Split::column_wise},
                         .adds_up = product.adds_up};
    for (const std::int64_t rows : product.rows) mapped.steps.push_back(step(product, rows, site, room));
    return mapped;
  }

 private:
  static ProductStep step(const Product& product, std::int64_t rows, const PackageSite& site, Bytes room) {
    const std::int64_t element = itemsize(product.dtype);
    const std::int64_t slab = llm::slab_of(site.grid, product.n, {}).size;
    const Bytes weights{product.matrices() * product.k * slab * element};
    const ChunkLimits limits{.rows_of_pe = llm::part_of(rows, 0, site.grid.pes).size,
                             .least_kept = (kTileRows + site.grid.pes - 1) / site.grid.pes,
                             .room = room,
                             .element_bytes = element,
                             .wanted = product.adds_up ? kOverlappedChunks : 1};
    ProductStep found = fewest_chunks(limits, [&](int chunks, bool keeps) {
      const std::int64_t at_once = llm::chunk_rows(site.grid, rows, 0, chunks).all;
      const std::int64_t panel = llm::panel_of_columns(site.grid, product.n, product.dtype);
      const Bytes sums{at_once * slab * 4 * (product.matrices() + kSumTiles)};
      const Bytes blocks{kBlocks * panel * slab * element};
      return ProductStep{
          .chunks = chunks,
          .keeps_weights = keeps,
          .scratch = llm::scratch_of_columns(site.grid, rows, product.k, product.n, chunks),
          .tiles = sums + Bytes{2 * at_once * panel * element} + blocks + (keeps ? weights : 0_B)};
    });
    found.estimate = columns_time(product, rows, site, found);
    return found;
  }
};
KBSIM_MAPPING(columns, ColumnsMapping, "each PE computes some columns of a product for all rows");

}  // namespace
}  // namespace kbsim::inference
