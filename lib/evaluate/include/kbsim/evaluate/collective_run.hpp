#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/evaluate/collective_data.hpp"
#include "kbsim/host/rank.hpp"

namespace kbsim::evaluate {

/// Number of calls, and whether the first call's numbers are checked.
struct CollectiveRepeats {
  int warmup = 0;
  int iterations = 1;
  bool check = true;
};

/// Results of a collective, which all ranks call at the same simulated time.
struct CollectiveRun {
  std::vector<host::CollectiveTiming> slowest;  // slowest rank of each iteration after the warm-up
  Time kernels{};                               // of the slowest ranks of all calls, warm-ups too
  std::int64_t wrong = 0;                       // elements, of all ranks' outputs
  bool checked = false;
  Cause why = {};  // of the last call's end on all ranks, if causes are kept

  [[nodiscard]] double mean_latency_ns() const;
  [[nodiscard]] double mean_kernel_ns() const;
};

/// Makes tensors on every rank, then calls the collective `repeats` times. The main rank's program awaits it.
[[nodiscard]] Task<> run_collective(host::Rank& main, const CollectiveData* data, CollectiveRepeats repeats,
                                    CollectiveRun* run);

/// A latency is the time from a rank's call to its end; the slowest rank's counts.
[[nodiscard]] host::CollectiveTiming slowest(std::vector<host::CollectiveTiming> of_ranks);

}  // namespace kbsim::evaluate
