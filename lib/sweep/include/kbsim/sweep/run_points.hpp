#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/sweep/records.hpp"
#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {

/// How one point ended in its process.
struct PointResult {
  int exit = 0;
  std::string message = {};
  std::string digest = {};
  std::uint64_t events = 0;
  std::string document = {};     // JSON
  bool short_of_memory = false;  // with more it might have ended otherwise
};

/// Runs the arguments of kbsim run in this process. `wanted` is called with the point's key before the
/// simulation; if it returns false, nothing is simulated.
using RunPoint = std::function<PointResult(const std::vector<std::string>& words,
                                           const std::function<bool(const std::string& key)>& wanted)>;

class Ranks;

struct PoolOptions {
  std::filesystem::path out;  // records go to records_folder(out); "": nowhere, nothing is kept
  unsigned jobs = 1;
  double timeout = 0.0;  // seconds a point; 0: none
  Bytes memory;          // of all points that run at a time
  bool progress = true;  // on stderr
  // Returns what has changed since the sweep began, if points depend on it; "" if nothing. Called after each
  // point. After a change that point's result isn't kept, and the sweep stops.
  std::function<std::string()> changed = {};
  // Returns what the document of a successful point lacks; "" if nothing. The sweep stops if the first
  // document lacks something.
  std::function<std::string(const std::string& document)> lacks = {};
  Ranks* ranks = nullptr;  // each rank but 0 runs a point at a time beside the `jobs` of this process
};

/// How a sweep went.
struct Tally {
  std::size_t points = 0;
  std::size_t known = 0;           // weren't run: their results were known
  std::size_t known_failures = 0;  // of those
  std::size_t ran = 0;
  std::size_t failed = 0;  // of those that ran
  double wall = 0.0;       // seconds
  double busy = 0.0;       // of all workers
  double simulating = 0.0;
  double tenth_guess = 0.0;  // seconds left, as estimated when a tenth had ended
  double tenth_left = 0.0;   // seconds that were really left then
  bool interrupted = false;
  std::string stopped;  // why no further point began
};

/// Runs those of a plan's points (`which`, by index) that the cache lacks, each in one of `jobs` long-lived
/// processes, longest first. A process that crashes, hangs or takes too much memory loses its point and is
/// replaced. Records are in the folder as soon as a point ends, and on the disk a second later. `requests`:
/// of each point of the plan. The process may have no other threads.
[[nodiscard]] Tally run_points(const Plan& plan, const std::vector<std::string>& requests,
                               const std::vector<std::size_t>& which, Cache& cache, const RunPoint& run,
                               const PoolOptions& options);

/// A point whose second run differed.
struct Difference {
  std::size_t point = 0;
  std::string then;
  std::string now;
};
/// Runs points again, in new processes; no result is kept.
[[nodiscard]] std::vector<Difference> verify_points(const Plan& plan,
                                                    const std::vector<std::string>& requests,
                                                    const std::vector<std::size_t>& which, Cache& cache,
                                                    const RunPoint& run, PoolOptions options);

/// Expected seconds of points on `jobs` workers, from alike points of the cache; none if it has none.
[[nodiscard]] std::optional<double> seconds_for(const Plan& plan, const std::vector<std::string>& requests,
                                                const std::vector<std::size_t>& which, const Cache& cache,
                                                unsigned jobs);

/// The points of `which` without a record that stands().
[[nodiscard]] std::vector<std::size_t> missing_points(const std::vector<std::string>& requests,
                                                      const std::vector<std::size_t>& which,
                                                      const Cache& cache, const PoolOptions& options);

/// True if a record stands for its point under these limits. A point that met a lower limit, or whose process
/// crashed, runs again.
[[nodiscard]] bool stands(const Record& record, const PoolOptions& options);

}  // namespace kbsim::sweep
