// Each PE computes its own rows of a product for the columns of its cube: product_blocks.
#include "kbsim/llm/product_mapping.hpp"

#include "product_estimate.hpp"

namespace kbsim::inference {
namespace {

constexpr std::int64_t kTileBytes = 524288;  // blocks of weights under way, of this PE and of others

class BlocksMapping final : public IMapping {
 public:
  [[nodiscard]] MappedProduct map(const Product& product, const PackageSite& site,
                                  Bytes room) const override {
    MappedProduct mapped{.kernel = "product_blocks",
                         .weight = {.cube = topology::Split::column_wise, .pe = topology::Split::row_wise},
                         .bias = {.cube = topology::Split::column_wise}};
    for (const std::int64_t rows : product.rows) mapped.steps.push_back(step(product, rows, site, room));
    return mapped;
  }

 private:
  static ProductStep step(const Product& product, std::int64_t rows, const PackageSite& site, Bytes room) {
    const std::int64_t element = itemsize(product.dtype);
    const std::int64_t rows_of_pe = llm::part_of(rows, 0, site.grid.pes).size;
    const std::int64_t columns = std::max<std::int64_t>(site.grid.slot_bytes / element / 64, 1);
    ProductStep found = fewest_chunks(rows_of_pe, room, element, [&](int chunks) {
      const std::int64_t at_once = llm::part_of(rows_of_pe, 0, chunks).size;
      return ProductStep{.chunks = chunks,
                         .scratch = llm::scratch_of_blocks(site.grid, rows, product.k, chunks),
                         .tiles = Bytes{at_once * columns * 4 * (product.matrices() + 2) + kTileBytes}};
    });
    found.estimate = estimate_of(load(product, rows, site, found), site);
    return found;
  }

  static ProductLoad load(const Product& product, std::int64_t rows, const PackageSite& site,
                          const ProductStep& step) {
    const std::int64_t element = itemsize(product.dtype);
    const std::int64_t rows_of_pe = llm::part_of(rows, 0, site.grid.pes).size;
    const std::int64_t columns = llm::part_of(product.n, 0, site.grid.cubes()).size;
    const auto block = static_cast<double>(product.matrices() * product.k * columns * element);
    const auto own = static_cast<double>(rows_of_pe * product.k * element);
    const int cubes = site.grid.cubes();
    return {.hbm = block / site.grid.pes * step.chunks,
            .received = own + block * step.chunks * (site.grid.pes - 1) / site.grid.pes,
            .macs = static_cast<double>(product.matrices() * rows_of_pe * product.k * columns),
            .cube_in = static_cast<double>(rows * product.k * element) * (cubes - 1) / cubes};
  }
};
KBSIM_MAPPING(
    blocks, BlocksMapping,
    "each PE computes its own rows of a product for its cube's columns, whose weights neighbours share");

}  // namespace
}  // namespace kbsim::inference
