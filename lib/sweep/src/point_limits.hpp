#pragma once

#include "worker_pool.hpp"

namespace kbsim::sweep {

/// Kills the process of a point that takes too long or too much memory, and notes the reason in its worker.
class PointLimits {
 public:
  PointLimits(const PoolOptions& options, WorkerPool& pool) : options_{options}, pool_{pool} {}
  PointLimits(const PointLimits&) = delete;
  PointLimits& operator=(const PointLimits&) = delete;

  /// The worker's point begins now: it must end within the timeout.
  void begins(PoolWorker& worker);
  /// Looks at the memory of all workers of this host.
  void look_at_memory();
  /// The memory that a point may take: its worker's share, or all of it.
  [[nodiscard]] Bytes memory(Mode mode) const;

 private:
  void look_at_memory(PoolWorker& worker);

  const PoolOptions& options_;
  WorkerPool& pool_;
};

}  // namespace kbsim::sweep
