#pragma once

#include <cstdint>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/llm/kv_cache.hpp"
#include "kbsim/kernels/online_softmax.hpp"

namespace kbsim::llm {

/// A PE among the `count` PEs that share a kv head; PE `first` of the package is split 0.
struct Splits {
  PeGrid grid;
  std::int64_t first = 0;
  std::int64_t count = 1;
  std::int64_t own = 0;

  /// Number of splits that may be a root: the greatest power of two that isn't above `count`.
  [[nodiscard]] std::int64_t roots() const;
};
[[nodiscard]] Splits splits_at(const KvCache& cache, PePlace at);

/// Combines what all splits found to one result at the split `root`, along a binomial tree: log2 steps.
/// Gives the result there, and tiles that are empty elsewhere. All splits call it alike, in one order.
///
/// Partners are 2^k splits apart. Their queues are those of package_exchange where it has one, else those of
/// package_splits. A tile of one row fits a slot.
[[nodiscard]] Task<attention::Running> combined(TL& tl, Splits splits, attention::Running own,
                                                std::int64_t root, collective::InFlight* sends);

}  // namespace kbsim::llm
