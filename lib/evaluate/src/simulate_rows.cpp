#include "kbsim/evaluate/simulate_rows.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::evaluate {

Simulated simulate_rows(std::size_t n, const Parallel& how, BeginWith begin_with,
                        const std::function<boost::json::object(std::size_t)>& row, const std::string& what,
                        const std::function<std::string(std::size_t)>& name) {
  const bool backwards = begin_with == BeginWith::last;
  std::vector<boost::json::object> rows(n);
  std::vector<std::optional<DeadlockReport>> stuck(n);
  std::vector<std::exception_ptr> unsupported(n);
  std::vector<bool> ended = in_parallel(n, what, how, [&](std::size_t i) {
    const std::size_t job = backwards ? n - 1 - i : i;
    try {
      rows[job] = row(job);
    } catch (const DeadlockReport& deadlock) {
      stuck[job] = deadlock;
    } catch (const Unsupported&) {
      unsupported[job] = std::current_exception();
    }
  });
  if (backwards) std::reverse(ended.begin(), ended.end());
  Simulated result{.rows = {}, .whole = std::ranges::count(ended, true) == std::ssize(ended)};
  for (std::size_t i = 0; i < n; ++i) {
    if (stuck[i])
      result.deadlocks.push_back(
          {.simulation = name ? name(i) : fmt::format("{} of {}", i + 1, n), .report = *std::move(stuck[i])});
    else if (unsupported[i])
      result.unsupported.push_back(std::move(unsupported[i]));
    else if (ended[i])
      result.rows.emplace_back(std::move(rows[i]));
  }
  return result;
}

}  // namespace kbsim::evaluate
