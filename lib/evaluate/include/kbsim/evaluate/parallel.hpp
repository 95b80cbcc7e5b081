#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kbsim::evaluate {

/// How simulations of one evaluation run in parallel.
struct Parallel {
  unsigned threads = 0;  // 0: one per core
  bool progress = true;  // on stderr: a bar on a terminal, else a line now and then

  /// Threads that each of n simulations has for its packages: an equal share, at least 1.
  [[nodiscard]] unsigned of_each(std::size_t n) const {
    return n == 0 ? 1 : std::max(1U, static_cast<unsigned>(threads / n));
  }
};

/// Prints on stderr why one thread simulates though several were asked for; nothing without a reason.
void say_one_thread(const Parallel& how, const std::string& why);

/// Runs job(0) to job(n - 1), each on any thread; returns which have ended. After a stop signal (StopSignals)
/// no further job begins, and jobs that throw Interrupted haven't ended. If jobs throw other errors, the
/// first job's is rethrown. `what`: name of n things, for the progress.
[[nodiscard]] std::vector<bool> in_parallel(std::size_t n, const std::string& what, const Parallel& how,
                                            const std::function<void(std::size_t)>& job);

}  // namespace kbsim::evaluate
