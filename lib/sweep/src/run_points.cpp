#include "kbsim/sweep/run_points.hpp"

#include <algorithm>

#include "kbsim/base/stop.hpp"
#include "kbsim/sweep/claims.hpp"
#include "kbsim/sweep/schedule.hpp"

#include "master.hpp"

namespace kbsim::sweep {
namespace {

// Number of failed points that aren't run again.
std::size_t failures_among(const std::vector<std::string>& requests, const std::vector<std::size_t>& which,
                           const Cache& cache, const PoolOptions& options) {
  return static_cast<std::size_t>(std::ranges::count_if(which, [&](std::size_t point) {
    const Record* known = cache.of_request(requests[point]);
    return known != nullptr && known->exit != 0 && stands(*known, options);
  }));
}

}  // namespace

bool stands(const Record& record, const PoolOptions& options) {
  switch (record.end) {
    case End::done: return true;
    case End::crashed: return false;
    case End::timed_out: return options.timeout > 0.0 && record.limit >= options.timeout;
    case End::too_large: return record.limit >= static_cast<double>(options.memory.count());
  }
  return false;
}

std::vector<std::size_t> missing_points(const std::vector<std::string>& requests,
                                        const std::vector<std::size_t>& which, const Cache& cache,
                                        const PoolOptions& options) {
  std::vector<std::size_t> missing;
  for (const std::size_t point : which) {
    const Record* known = cache.of_request(requests[point]);
    if (known == nullptr || !stands(*known, options)) missing.push_back(point);
  }
  return missing;
}

Tally run_points(const Plan& plan, const std::vector<std::string>& requests,
                 const std::vector<std::size_t>& which, Cache& cache, const RunPoint& run,
                 const PoolOptions& options) {
  const std::vector<std::size_t> missing = missing_points(requests, which, cache, options);
  Tally known{.points = which.size(),
              .known = which.size() - missing.size(),
              .known_failures = failures_among(requests, which, cache, options)};
  if (missing.empty()) return known;
  Claims claims{missing.size() + cache.records().size()};
  for (const auto& record : cache.records()) (void)claims.claim(record.first);
  const Job job{.plan = plan, .requests = requests, .run = run, .options = options, .claims = &claims};
  Master master{job, cache, missing, Mode::shared};
  master.run();
  Tally tally = master.outcomes().tally();
  tally.points = known.points;
  tally.known = known.known;
  tally.known_failures = known.known_failures;
  return tally;
}

std::optional<double> seconds_for(const Plan& plan, const std::vector<std::string>& requests,
                                  const std::vector<std::size_t>& which, const Cache& cache, unsigned jobs) {
  Schedule schedule{plan, which};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (const Record* known = cache.of_request(requests[i]))
      schedule.learn(i, static_cast<double>(known->events), known->seconds);
  }
  schedule.refit();
  const double seconds = schedule.seconds_left(std::max(1U, jobs), {});
  return seconds > 0.0 ? std::optional{seconds} : std::nullopt;
}

std::vector<Difference> verify_points(const Plan& plan, const std::vector<std::string>& requests,
                                      const std::vector<std::size_t>& which, Cache& cache,
                                      const RunPoint& run, PoolOptions options) {
  if (which.empty()) return {};
  const Job job{.plan = plan, .requests = requests, .run = run, .options = options};
  Master master{job, cache, which, Mode::again};
  master.run();
  if (master.outcomes().tally().interrupted) throw Interrupted{"interrupted: not all points are verified"};
  return master.outcomes().differences();
}

}  // namespace kbsim::sweep
