#pragma once

#include "kbsim/tl/tl.hpp"

namespace kbsim::llm {

/// Packages that compute parts of one sum, from package `first` on; this one is number `own` of them. Their
/// queues are those of topologies package_exchange_sums and package_splits_sums.
struct PackagesOfSum {
  int packages = 1;
  int own = 0;
  int first = 0;

  /// The queue to, and from, the same PE of a package by its number.
  [[nodiscard]] Dir queue_to(int package) const;
};

}  // namespace kbsim::llm
