#pragma once

#include <Eigen/Core>

namespace kbsim::replay {

/// Fixes the sizes of caches that Eigen divides products by. Otherwise it asks the processor, and the order
/// in which a product adds up depends on the machine. Each function that multiplies calls it first: threads
/// that multiply at the same time then agree on the sizes.
inline void pin_blocking() {
  static const bool pinned = (Eigen::setCpuCacheSizes(32 << 10, 256 << 10, 2 << 20), true);
  (void)pinned;
}

}  // namespace kbsim::replay
