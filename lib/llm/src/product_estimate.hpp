#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/llm/product_mapping.hpp"

namespace kbsim::inference {

/// Work of the busiest PE for a product, in bytes and multiply-accumulates.
struct ProductLoad {
  double hbm = 0.0;       // bytes of weights from its HBM
  double received = 0.0;  // bytes from other PEs
  double macs = 0.0;
  double cube_in = 0.0;  // bytes of all PEs of a cube from other cubes
};

/// The longest of the times that its parts take at their full rates, and the latency of exchanges with the
/// cube, the row and the column.
[[nodiscard]] inline Time estimate_of(const ProductLoad& load, const PackageSite& site) {
  constexpr double kExchangeNs = 250.0;  // queues to PEs of the cube, or across a few cubes
  const int exchanges = (site.grid.pes > 1 ? 1 : 0) + (site.grid.w > 1 ? 1 : 0) + (site.grid.h > 1 ? 1 : 0);
  const double longest = std::max({load.hbm / site.hbm_rate, load.received / site.port_rate,
                                   load.macs / site.macs_rate, load.cube_in / (4.0 * site.ucie_rate)});
  return from_ns(longest + kExchangeNs * exchanges);
}

/// The fewest chunks of `rows_of_pe` rows whose scratch and tiles fit; as many as there are rows if none do.
template <class StepOfChunks>
[[nodiscard]] ProductStep fewest_chunks(std::int64_t rows_of_pe, Bytes room, std::int64_t element_bytes,
                                        const StepOfChunks& of) {
  const int most = static_cast<int>(std::max<std::int64_t>(rows_of_pe, 1));
  for (int chunks = 1;; chunks = std::min(2 * chunks, most)) {
    const ProductStep step = of(chunks);
    if (chunks == most || Bytes{step.scratch * element_bytes} + step.tiles <= room) return step;
  }
}

}  // namespace kbsim::inference
