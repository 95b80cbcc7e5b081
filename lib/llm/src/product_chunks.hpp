#pragma once

#include <algorithm>
#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/llm/product_mapping.hpp"

namespace kbsim::inference {

/// Limits of the chunks of a product's rows.
struct ChunkLimits {
  std::int64_t rows_of_pe = 1;
  std::int64_t least_kept = 1;  // rows of a PE: with fewer ones, weights aren't kept for the next chunk
  Bytes room;
  std::int64_t element_bytes = 2;

  [[nodiscard]] bool fits(const ProductStep& step) const {
    return Bytes{step.scratch * element_bytes} + step.tiles <= room;
  }
};

/// One chunk if its scratch and tiles fit; else the fewest that read the weights once; else the fewest that
/// fit; as many as there are rows if none do. `of(chunks, keeps_weights)` gives a step.
template <class StepOfChunks>
[[nodiscard]] ProductStep fewest_chunks(const ChunkLimits& limits, const StepOfChunks& of) {
  const int most = static_cast<int>(std::max<std::int64_t>(limits.rows_of_pe, 1));
  const ProductStep whole = of(1, false);
  if (limits.fits(whole) || most == 1) return whole;
  for (int chunks = 2; chunks * limits.least_kept <= most; chunks *= 2) {
    const ProductStep step = of(chunks, true);
    if (limits.fits(step)) return step;
  }
  for (int chunks = 2;; chunks = std::min(2 * chunks, most)) {
    const ProductStep step = of(chunks, false);
    if (chunks >= most || limits.fits(step)) return step;
  }
}

}  // namespace kbsim::inference
