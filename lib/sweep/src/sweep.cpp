// A sweep from its plan to its tables.
#include "kbsim/sweep/sweep.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/sweep/tables.hpp"

#include "folder_claim.hpp"
#include "known_points.hpp"

namespace kbsim::sweep {
namespace {

void print(const std::string& text) {
  fmt::print("{}", text);
  (void)std::fflush(stdout);
}

void say_times(const Tally& tally) {
  constexpr std::size_t kMany = 50;
  const std::string guess = tally.ran < kMany
                                ? ""
                                : fmt::format("; after a tenth {:.3g} s were expected and {:.3g} s came",
                                              tally.tenth_guess, tally.tenth_left);
  say("{:.3g} s, {:.1f} points a second, {:.0f} % of the workers' time in simulations{}\n", tally.wall,
      static_cast<double>(tally.ran) / tally.wall, 100.0 * tally.simulating / tally.busy, guess);
}

void print(const Tally& tally, bool quiet) {
  const std::string before =
      tally.known_failures == 0 ? "" : fmt::format(" ({} of them failed)", tally.known_failures);
  print(fmt::format("{}: {} known{}, {} ran, {} failed\n", counted(tally.points, "point"), tally.known,
                    before, tally.ran, tally.failed));
  if (tally.busy > 0.0 && !quiet) say_times(tally);
}

// A sample, of the share `verified`, of the points that have ended well.
std::vector<std::size_t> drawn_of_ended(const Sweep& sweep, const Cache& cache) {
  std::vector<std::size_t> ended;
  for (const std::size_t i : sweep.which) {
    const Record* known = cache.of_request(sweep.requests[i]);
    if (known != nullptr && known->end == End::done) ended.push_back(i);
  }
  const auto n = static_cast<std::size_t>(std::ceil(sweep.verified * static_cast<double>(ended.size())));
  std::vector<std::size_t> some;
  for (const std::size_t i : drawn(ended.size(), n, 1)) some.push_back(ended[i]);
  return some;
}

void verify(const Sweep& sweep, Cache& cache) {
  const std::vector<std::size_t> some = drawn_of_ended(sweep, cache);
  if (some.empty()) return;
  const auto found = verify_points(sweep.plan, sweep.requests, some, cache, sweep.run, sweep.pool);
  print(fmt::format("{} ran once more: {} differ\n", counted(some.size(), "point"), found.size()));
  if (found.empty()) return;
  const Difference& first = found.front();
  throw Error{ExitCode::wrong_values,
              fmt::format("point {}: {} at first, {} once more: {}", first.point, first.then, first.now,
                          command_of(sweep.plan, sweep.plan.points[first.point]))};
}

}  // namespace

bool known_points_have(const Sweep& sweep, const Cache& cache) {
  std::string missing;
  for (const std::size_t i : sweep.which) {
    const Record* known = cache.of_request(sweep.requests[i]);
    if (known == nullptr || known->exit != 0 || known->document.empty()) continue;
    missing = sweep.pool.lacks(known->document);
    if (missing.empty()) return true;
  }
  if (!missing.empty()) throw UsageError{missing};
  return false;
}

ExitCode run_sweep(const Sweep& sweep) {
  require_database();
  const std::filesystem::path& out = sweep.pool.out;
  const FolderClaim claim{out, sweep.shard, sweep.plan, sweep.requests};
  Cache cache{out};
  if (cache.damaged() > 0)
    say("kbsim: {}: {}\n", out.string(),
        cache.damaged() == 1
            ? "a damaged record is left out, its point runs again"
            : fmt::format("{} damaged records are left out, their points run again", cache.damaged()));
  PoolOptions pool = sweep.pool;
  if (pool.lacks && known_points_have(sweep, cache)) pool.lacks = {};
  const Tally tally = run_points(sweep.plan, sweep.requests, sweep.which, cache, sweep.run, pool);
  print(tally, sweep.quiet);
  if (!tally.stopped.empty())
    throw UsageError{fmt::format("{}; {} ended and kept: given again, the command goes on there",
                                 tally.stopped, counted(tally.known + tally.ran, "point is", "points are"))};
  if (tally.interrupted) return ExitCode::interrupted;
  verify(sweep, cache);
  const bool again = tally.ran == 0 && has_tables(out, sweep.requests) && sweep.tables.metric.empty() &&
                     sweep.tables.pareto.empty();
  if (again) return ExitCode::ok;
  if (claim.folder() != nullptr) {
    print(write_result_files(out, *claim.folder(), sweep.tables));
    stamp_tables(out, sweep.requests);
  }
  if (!sweep.quiet) report::say_results(out);
  return ExitCode::ok;
}

}  // namespace kbsim::sweep
