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

/// The results of all splits become one at the split `root`, along a binomial tree, one level at a time: work
/// between two levels hides what a level waits for. All splits take the same levels of the same
/// combinations in one order.
///
/// Partners are 2^k splits apart. Their queues are those of package_exchange where it has one, else those of
/// package_splits. A tile of one row fits a slot.
class Combination {
 public:
  Combination(Splits splits, attention::Running own, std::int64_t root);
  /// Sends to the partner of the next level, or merges with what it sends.
  [[nodiscard]] Task<> step(TL& tl, collective::InFlight* sends);
  /// Whether this PE has no level left: it has sent what it had, or is the root.
  [[nodiscard]] bool done() const { return sent_ || bit_ >= splits_.roots(); }
  /// At the root, when it is done; else none.
  [[nodiscard]] const attention::Running* result() const { return sent_ || !done() ? nullptr : &own_; }

 private:
  [[nodiscard]] Task<> meet(TL& tl, std::int64_t partner, bool sends_own, collective::InFlight* sends);

  Splits splits_;
  attention::Running own_;
  std::int64_t root_;
  std::int64_t bit_;  // of the next level; 0: splits that aren't roots send to those that are
  bool sent_ = false;
};

}  // namespace kbsim::llm
