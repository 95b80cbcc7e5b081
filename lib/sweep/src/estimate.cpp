#include "kbsim/sweep/estimate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/sweep/shares.hpp"

#include "known_points.hpp"

namespace kbsim::sweep {
namespace {

std::string time_text(double seconds) {
  if (seconds < 120.0) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60.0);
}

// Nothing of it is kept.
void simulate_some(const Sweep& sweep, const std::vector<std::size_t>& points, Cache& cache) {
  constexpr double kLongest = 20.0;
  PoolOptions scratch = sweep.pool;
  scratch.out.clear();
  scratch.timeout = kLongest;
  scratch.progress = false;
  const Tally tally = run_points(sweep.plan, sweep.requests, points, cache, sweep.run, scratch);
  if (!tally.stopped.empty()) throw UsageError{tally.stopped};
}

}  // namespace

std::string expected_time(const Sweep& sweep, Cache& cache) {
  constexpr std::size_t kTried = 4;
  const std::vector<std::size_t> missing = missing_points(sweep.requests, sweep.which, cache, sweep.pool);
  if (missing.empty()) return "all are known: nothing runs";
  const auto seconds = [&] {
    return seconds_for(sweep.plan, sweep.requests, missing, cache, sweep.pool.jobs);
  };
  std::string by = "by results of alike points";
  if (!seconds()) {
    std::vector<std::size_t> tried;
    for (const std::size_t i : spread(missing.size(), kTried)) tried.push_back(missing[i]);
    simulate_some(sweep, tried, cache);
    by = fmt::format("by {} of them, simulated for it", tried.size());
  }
  const auto expected = seconds();
  if (!expected) return fmt::format("{} to run, for how long isn't known", missing.size());
  return fmt::format("{} to run: about {} with {} at a time ({})", missing.size(), time_text(*expected),
                     sweep.pool.jobs, by);
}

std::string dry_run_text(const Sweep& given, Cache& cache) {
  Sweep sweep = given;
  if (sweep.pool.lacks && known_points_have(sweep, cache)) sweep.pool.lacks = {};
  std::vector<std::string> names;
  for (const Axis& axis : sweep.plan.axes) names.push_back(axis.name);
  std::string text = fmt::format("point,{}\n", fmt::join(names, ","));
  for (const std::size_t i : sweep.which)
    text += fmt::format("{},{}\n", i, fmt::join(values_of(sweep.plan, sweep.plan.points[i]), ","));
  return text + fmt::format("{}, {}\n", counted(sweep.which.size(), "point"), expected_time(sweep, cache));
}

}  // namespace kbsim::sweep
