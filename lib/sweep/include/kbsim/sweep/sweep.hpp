#pragma once

#include <string>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/sweep/result_files.hpp"
#include "kbsim/sweep/run_points.hpp"

namespace kbsim::sweep {

/// A plan with everything that running it needs.
struct Sweep {
  const Plan& plan;
  std::vector<std::string> requests;  // of each point of the plan
  std::vector<std::size_t> which;     // of its points run here, by index
  RunPoint run;
  PoolOptions pool;
  std::string shard;      // "I/N", or "" of a whole sweep
  double verified = 0.0;  // share of the points that run once more
  bool quiet = false;     // no times on stderr
  TableOptions tables;
};

/// Runs the unknown points, repeats some points, and writes the tables; prints a summary on stdout.
/// UsageError if the folder is taken or full; Error with exit code 7 if a point's second run differs.
[[nodiscard]] ExitCode run_sweep(const Sweep& sweep);

}  // namespace kbsim::sweep
