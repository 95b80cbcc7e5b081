#pragma once

#include <chrono>
#include <vector>

#include "kbsim/app/bench.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/run_trace.hpp"

#include "commands.hpp"
#include "run_options.hpp"

namespace kbsim::app {

/// A run of one bench, before its simulation.
struct BenchRun {
  const Bench& bench;
  const RunOptions& options;
  const Arguments& arguments;
  std::chrono::steady_clock::time_point start;
  std::vector<int> devices;
  BenchRequest request;
};

/// Simulates the run, writes the files that were asked for, and prints. However it ends, the results so far
/// are reported. `folder`: --out's, or null.
ExitCode simulate_bench(const BenchRun& run, const report::OutputFolder* folder, host::Session& session,
                        report::RunTrace& trace);

}  // namespace kbsim::app
