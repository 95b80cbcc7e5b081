#include "kbsim/evaluate/simulate_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kbsim::evaluate {

Simulated simulate_rows(std::size_t n, const Parallel& how, BeginWith begin_with,
                        const std::function<boost::json::object(std::size_t)>& row, const std::string& what) {
  const bool backwards = begin_with == BeginWith::last;
  std::vector<boost::json::object> rows(n);
  std::vector<bool> ended = in_parallel(n, what, how, [&](std::size_t i) {
    const std::size_t job = backwards ? n - 1 - i : i;
    rows[job] = row(job);
  });
  if (backwards) std::reverse(ended.begin(), ended.end());
  const std::vector<boost::json::object> some = only_ended(std::move(rows), ended);
  return {.rows = Rows(some.begin(), some.end()), .whole = some.size() == n};
}

}  // namespace kbsim::evaluate
