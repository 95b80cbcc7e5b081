// Each PE computes some columns of a product for all rows: product_columns.
#include "kbsim/kernels/llm/to_rows.hpp"
#include "kbsim/llm/product_mapping.hpp"

#include "product_estimate.hpp"

namespace kbsim::inference {
namespace {

constexpr std::int64_t kBlockBytes = 65536;  // of weights that the kernel loads at once

class ColumnsMapping final : public IMapping {
 public:
  [[nodiscard]] MappedProduct map(const Product& product, const PackageSite& site,
                                  Bytes room) const override {
    MappedProduct mapped{.kernel = "product_columns",
                         .weight = {.cube = topology::Split::column_wise, .pe = topology::Split::column_wise},
                         .bias = {.cube = topology::Split::column_wise, .pe = topology::Split::column_wise}};
    for (const std::int64_t rows : product.rows) mapped.steps.push_back(step(product, rows, site, room));
    return mapped;
  }

 private:
  static ProductStep step(const Product& product, std::int64_t rows, const PackageSite& site, Bytes room) {
    const std::int64_t element = itemsize(product.dtype);
    const std::int64_t slab = llm::slab_of(site.grid, product.n, {}).size;
    const Bytes weights{product.matrices() * product.k * slab * element};
    ProductStep found =
        fewest_chunks(llm::part_of(rows, 0, site.grid.pes).size, room, element, [&](int chunks) {
          const std::int64_t at_once = llm::chunk_rows(site.grid, rows, 0, chunks).all;
          const std::int64_t panel = std::max<std::int64_t>(kBlockBytes / (slab * element), 64);
          return ProductStep{
              .chunks = chunks,
              .scratch = llm::scratch_of_columns(site.grid, rows, product.k, product.n, chunks),
              .tiles = Bytes{at_once * (slab * 4 * (product.matrices() + 2) + 2 * panel * element) +
                             4 * kBlockBytes}};
        });
    const Bytes used = Bytes{found.scratch * element} + found.tiles;
    found.keeps_weights = found.chunks > 1 && used + weights <= room;
    if (found.keeps_weights) found.tiles += weights;
    found.estimate = estimate_of(load(product, rows, site, found), site);
    return found;
  }

  static ProductLoad load(const Product& product, std::int64_t rows, const PackageSite& site,
                          const ProductStep& step) {
    const std::int64_t element = itemsize(product.dtype);
    const std::int64_t slab = llm::slab_of(site.grid, product.n, {}).size;
    const auto all = static_cast<double>(rows * product.k * element);
    const auto weights = static_cast<double>(product.matrices() * product.k * slab * element);
    const int cubes = site.grid.cubes();
    return {.hbm = weights * (step.keeps_weights ? 1 : step.chunks),
            .received = all + static_cast<double>(rows * slab * element),
            .macs = static_cast<double>(product.matrices() * rows * product.k * slab),
            .cube_in = all * (cubes - 1) / cubes};
  }
};
KBSIM_MAPPING(columns, ColumnsMapping, "each PE computes some columns of a product for all rows");

}  // namespace
}  // namespace kbsim::inference
