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
  std::int64_t wanted = 1;  // chunks, if they read the weights once

  [[nodiscard]] bool fits(const ProductStep& step) const {
    return Bytes{step.scratch * element_bytes} + step.tiles <= room;
  }
};

/// A product that adds up over packages does so with a chunk while it computes the next ones.
inline constexpr std::int64_t kOverlappedChunks = 4;

/// One chunk, or the wanted number, if its scratch and tiles fit; else the fewest that read the weights once;
/// else the fewest that fit; as many as there are rows if none do. `of(chunks, keeps_weights)` gives a step.
template <class StepOfChunks>
[[nodiscard]] ProductStep fewest_chunks(const ChunkLimits& limits, const StepOfChunks& of) {
  const int most = static_cast<int>(std::max<std::int64_t>(limits.rows_of_pe, 1));
  const ProductStep whole = of(1, false);
  const bool in_one = limits.fits(whole) || most == 1;
  if (in_one && limits.wanted == 1) return whole;
  for (int chunks = 2; chunks * limits.least_kept <= most; chunks *= 2) {
    const ProductStep step = of(chunks, true);
    const bool enough = chunks >= limits.wanted || 2 * chunks * limits.least_kept > most;
    if (enough && limits.fits(step)) return step;
  }
  if (in_one) return whole;
  for (int chunks = 2;; chunks = std::min(2 * chunks, most)) {
    const ProductStep step = of(chunks, false);
    if (chunks >= most || limits.fits(step)) return step;
  }
}

}  // namespace kbsim::inference
