#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/kernels/messages.hpp"

namespace kbsim::collective {

/// Number of elements that a kernel has in TCM at once. It depends only on values that all participants
/// share, so that all cut the same windows and messages.
struct TcmBudget {
  std::int64_t message = 0;  // per message at most; 0: any number
  std::size_t loads = 1;     // messages that each Prefetch has in flight
  std::int64_t held = 0;     // beside messages on their way; 0: any number
  std::int64_t tcm = 0;      // in all
};
/// The budget of a kernel that loads `vectors` vectors side by side. UsageError if the TCM is too small for
/// one element of each.
[[nodiscard]] TcmBudget budget_of(const CollectiveArgs& args, int vectors = 1);

/// As much of a vector as the TCM has room for.
struct Window : Slice {
  TcmBudget budget;

  [[nodiscard]] Slices messages() const { return cut(*this, budget.message); }
  /// The ith of n equal shares.
  [[nodiscard]] Window share(int i, int n) const { return {chunk_of(*this, i, n), budget}; }
};

/// Part of a window that a kernel has in TCM at once: `shares` of its `of` equal shares. Messages in flight
/// of `vectors` vectors come on top.
struct Held {
  std::int64_t shares = 1;
  std::int64_t of = 1;
  int vectors = 1;
};

/// A vector of n elements in as few windows as possible, nearly equal. UsageError if the TCM is too small.
[[nodiscard]] std::vector<Window> windows(const CollectiveArgs& args, std::int64_t n, Held held);

}  // namespace kbsim::collective
