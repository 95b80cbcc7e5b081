// Divides K of a product over the PEs of each cube, and its columns over cubes: the kernel product_depth.
#include <algorithm>

#include <kbsim/kernels/llm/chunk_rows.hpp>
#include <kbsim/llm/product_mapping.hpp>

namespace mine {
namespace {

using kbsim::Bytes, kbsim::topology::Split;
using namespace kbsim::inference;

constexpr std::int64_t kMostRows = 128;      // of a PE in a chunk: their sums fit a slot
constexpr std::int64_t kTileBytes = 262144;  // blocks of weights and of x under way

class DepthMapping final : public IMapping {
 public:
  MappedProduct map(const Product& product, const PackageSite& site, Bytes room) const override {
    MappedProduct mapped{.kernel = "product_depth",
                         .weight = {.cube = Split::column_wise, .pe = Split::row_wise},
                         .bias = {.cube = Split::column_wise}};
    for (const std::int64_t rows : product.rows) mapped.steps.push_back(step(product, rows, site, room));
    return mapped;
  }

 private:
  static ProductStep step(const Product& product, std::int64_t rows, const PackageSite& site, Bytes room) {
    const std::int64_t element = kbsim::itemsize(product.dtype);
    const std::int64_t of_pe = kbsim::llm::part_of(rows, 0, site.grid.pes).size;
    const std::int64_t slot_sums = site.grid.slot_bytes / 4;
    ProductStep found;
    for (std::int64_t chunks = (of_pe + kMostRows - 1) / kMostRows;; chunks = std::min(2 * chunks, of_pe)) {
      const std::int64_t at_once = kbsim::llm::chunk_rows(site.grid, rows, 0, static_cast<int>(chunks)).all;
      found = {.chunks = static_cast<int>(chunks),
               .scratch = at_once * product.k,
               .tiles = Bytes{4 * slot_sums * 4 * product.matrices() * site.grid.pes + kTileBytes}};
      if (chunks >= of_pe || Bytes{found.scratch * element} + found.tiles <= room) break;
    }
    found.estimate = estimate(product, rows, site, found.chunks);
    return found;
  }

  // The longest of reading the weights, the products, what comes in, and the sums that are exchanged.
  static kbsim::Time estimate(const Product& product, std::int64_t rows, const PackageSite& site,
                              int chunks) {
    constexpr double kExchangesNs = 1000.0;
    const auto columns = double(kbsim::llm::part_of(product.n, 0, site.grid.cubes()).size);
    const double k = double(product.k) / site.grid.pes;
    const double weights = product.matrices() * k * columns * kbsim::itemsize(product.dtype) * chunks;
    const double macs = double(product.matrices() * rows) * k * columns;
    const double x = double(rows * product.k * kbsim::itemsize(product.dtype));
    const double sums = double(product.matrices() * rows) * columns * 4;
    return kbsim::from_ns(std::max(weights / site.hbm_rate, macs / site.macs_rate) + x / site.port_rate +
                          sums / site.port_rate + kExchangesNs * chunks);
  }
};
KBSIM_MAPPING(depth, DepthMapping, "each PE of a cube sums a part of K; they add their sums");

}  // namespace
}  // namespace mine
