#pragma once

#include <vector>

#include "kbsim/app/bench.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/run_trace.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// A bench with its request. Without devices it runs on the package that it chooses.
struct BenchCall {
  const Bench& bench;
  std::vector<int> devices;
  BenchRequest request;
};

/// A run of one bench before its first event.
struct ReadyRun {
  const RunOptions& options;
  const BenchCall& call;
  const report::OutputFolder* folder;  // --out's, or null
  host::Session& session;
  report::RunTrace& trace;
};

}  // namespace kbsim::app
