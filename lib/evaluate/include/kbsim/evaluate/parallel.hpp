#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kbsim::evaluate {

/// How simulations of one evaluation run side by side.
struct Parallel {
  unsigned threads = 0;  // 0: one a core
  bool progress = true;  // on stderr: a bar on a terminal, else a line now and then

  /// Of n simulations each has so many threads for its packages: those that are left over.
  [[nodiscard]] unsigned of_each(std::size_t n) const {
    return n == 0 ? 1 : std::max(1U, static_cast<unsigned>(threads / n));
  }
};

/// Says on stderr why one thread simulates though there were to be more, if there is a reason.
void tell_one_thread(const Parallel& how, const std::string& why);

/// Runs job(0) to job(n - 1), each on any thread; says which have ended. Those are all, unless a signal asks
/// for the end (StopSignals): then nothing more is begun, and jobs that give up as Interrupted haven't ended.
/// Of the errors that jobs throw, that of the first is thrown. `what`: what n things are, for the progress.
[[nodiscard]] std::vector<bool> in_parallel(std::size_t n, const std::string& what, const Parallel& how,
                                            const std::function<void(std::size_t)>& job);

}  // namespace kbsim::evaluate
