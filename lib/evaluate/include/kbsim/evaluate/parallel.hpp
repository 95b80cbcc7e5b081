#pragma once

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
};

/// Runs job(0) to job(n - 1), each on any thread; says which have ended. Those are all, unless Ctrl-C was
/// pressed: then what runs is brought to its end and nothing more is begun (a second Ctrl-C ends at once).
/// Of the errors that jobs throw, that of the first is thrown. `what`: what n things are, for the progress.
[[nodiscard]] std::vector<bool> in_parallel(std::size_t n, const std::string& what, const Parallel& how,
                                            const std::function<void(std::size_t)>& job);

/// What was brought to its end before Ctrl-C; all of it if nobody pressed it.
template <class T>
[[nodiscard]] std::vector<T> only_ended(std::vector<T> all, const std::vector<bool>& ended) {
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (ended[i]) some.push_back(std::move(all[i]));
  }
  return some;
}

}  // namespace kbsim::evaluate
