#pragma once

#include <string>

#include "kbsim/host/session.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// Why a run with --parallel-bound uses one thread.
inline constexpr const char* kBoundWatches = "--parallel-bound watches the order of all events";

/// Number of threads that simulate a run: --num-threads, or 1 if a feature that was asked for needs that.
struct SimulationThreads {
  unsigned count = 1;
  std::string one_because = {};  // why not several, if several were asked for
};
[[nodiscard]] SimulationThreads simulation_threads(const RunOptions& options);

/// The line on stderr about a run with one thread though several were asked for; else "".
[[nodiscard]] std::string describe_threads(const SimulationThreads& threads, const host::Session& session);

}  // namespace kbsim::app
