#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace kbsim::app {

/// How simulations of one evaluation run side by side.
struct Parallel {
  unsigned threads = 0;  // 0: one a core
  bool progress = true;  // on stderr: a bar on a terminal, else a line now and then
};

/// Runs job(0) to job(n - 1), each on any thread; returns when all have ended. Of the errors that jobs throw,
/// that of the first is thrown, once all have ended. `what`: what n things are, for the progress.
void in_parallel(std::size_t n, const std::string& what, const Parallel& how,
                 const std::function<void(std::size_t)>& job);

}  // namespace kbsim::app
