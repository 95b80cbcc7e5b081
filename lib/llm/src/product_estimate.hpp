#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/llm/product_mapping.hpp"

namespace kbsim::inference {

/// Work of the busiest PE for a product, in bytes and multiply-accumulates, and of the busiest link.
struct ProductLoad {
  double hbm = 0.0;       // bytes of weights from its HBM
  double received = 0.0;  // bytes from other PEs, at the rate of its port
  double macs = 0.0;      // of whole tiles
  double link = 0.0;      // bytes of a link between cubes
  double added = 0.0;     // bytes after all products, at the rate of its port
  int turns = 0;          // messages that wait for one another
};

/// The longest of the times that its parts take at their full rates, and the latency of exchanges with the
/// cube, the row and the column, and of turns.
[[nodiscard]] inline Time estimate_of(const ProductLoad& load, const PackageSite& site) {
  constexpr double kExchangeNs = 250.0;  // queues to PEs of the cube, or across a few cubes
  const int exchanges = (site.grid.pes > 1 ? 1 : 0) + (site.grid.w > 1 ? 1 : 0) + (site.grid.h > 1 ? 1 : 0);
  const double longest = std::max({load.hbm / site.hbm_rate, (load.received + load.hbm) / site.port_rate,
                                   load.macs / site.macs_rate, load.link / site.ucie_rate});
  return from_ns(longest + load.added / site.port_rate + kExchangeNs * (exchanges + load.turns));
}

/// Elements with those that pad them to whole tiles of the GEMM engine.
[[nodiscard]] inline double padded(std::int64_t elements, std::int64_t tile = 32) {
  return static_cast<double>((elements + tile - 1) / tile * tile);
}

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
constexpr std::int64_t kOverlappedChunks = 4;

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
