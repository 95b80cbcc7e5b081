#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/sweep/plan.hpp"
#include "kbsim/sweep/records.hpp"

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

/// Runs the arguments of kbsim run in this process. `wanted` is asked with the point's key before it is
/// simulated; if it says no, nothing is.
using RunPoint = std::function<PointResult(const std::vector<std::string>& words,
                                           const std::function<bool(const std::string& key)>& wanted)>;

class Ranks;

struct PoolOptions {
  std::filesystem::path out;  // records go to records_folder(out); "": nowhere, nothing is kept
  unsigned jobs = 1;
  double timeout = 0.0;  // seconds a point; 0: none
  Bytes memory;          // of all points that run at a time
  bool progress = true;  // on stderr
  // What has changed that points depend on, since the sweep began; "" if nothing. Asked after each point,
  // whose result isn't kept then, and the sweep stops.
  std::function<std::string()> changed = {};
  // What the document of a point that has ended well lacks; "" if nothing. Of the first the sweep stops.
  std::function<std::string(const std::string& document)> lacks = {};
  Ranks* ranks = nullptr;  // of which each but 0 runs a point at a time beside the `jobs` of this process
};

/// How a sweep went.
struct Tally {
  std::size_t points = 0;
  std::size_t known = 0;           // weren't run: their results were there
  std::size_t known_failures = 0;  // of those
  std::size_t ran = 0;
  std::size_t failed = 0;  // of those that ran
  double wall = 0.0;       // seconds
  double busy = 0.0;       // of all workers
  double simulating = 0.0;
  double tenth_guess = 0.0;  // what was left, as told when a tenth had ended
  double tenth_left = 0.0;   // what it came to
  bool interrupted = false;
  std::string stopped;  // why no further point began
};

/// Runs those of a plan's points (`which`, by index) that the cache doesn't have, each in one of `jobs`
/// long-lived processes, longest first. A process that crashes, hangs or takes too much memory takes its
/// point with it and is replaced. Records are in the folder as soon as a point has ended, and on the disk a
/// second later. `requests`: of each point of the plan. The process may have no other threads.
[[nodiscard]] Tally run_points(const Plan& plan, const std::vector<std::string>& requests,
                               const std::vector<std::size_t>& which, Cache& cache, const RunPoint& run,
                               const PoolOptions& options);

/// A point whose second run differed.
struct Difference {
  std::size_t point = 0;
  std::string then;
  std::string now;
};
/// Runs points again, in processes that have run none of them; nothing is kept.
[[nodiscard]] std::vector<Difference> verify_points(const Plan& plan,
                                                    const std::vector<std::string>& requests,
                                                    const std::vector<std::size_t>& which, Cache& cache,
                                                    const RunPoint& run, PoolOptions options);

/// Seconds that points may take on so many workers, by alike points of the cache; none if it has none.
[[nodiscard]] std::optional<double> seconds_for(const Plan& plan, const std::vector<std::string>& requests,
                                                const std::vector<std::size_t>& which, const Cache& cache,
                                                unsigned jobs);

/// Those of `which` for which no record stands.
[[nodiscard]] std::vector<std::size_t> missing_points(const std::vector<std::string>& requests,
                                                      const std::vector<std::size_t>& which,
                                                      const Cache& cache, const PoolOptions& options);

/// Whether a record stands for its point under these limits: one that met a lower limit, and one whose
/// process crashed, are run again.
[[nodiscard]] bool stands(const Record& record, const PoolOptions& options);

}  // namespace kbsim::sweep
