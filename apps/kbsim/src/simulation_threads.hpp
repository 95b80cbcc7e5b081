#pragma once

#include <string>

#include "kbsim/app/bench.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// Why a run with --parallel-bound has one.
inline constexpr const char* kBoundWatches = "--parallel-bound watches the order of all events";

/// How many threads may simulate a run: those of --num-threads, if nothing that was asked for needs one
/// alone.
struct SimulationThreads {
  unsigned count = 1;
  std::string one_because = {};  // there are to be several
};
[[nodiscard]] SimulationThreads simulation_threads(const Bench& bench, const RunOptions& options);

/// What stderr has of it, if several threads were asked for: a line, or nothing.
[[nodiscard]] std::string told_of_threads(const SimulationThreads& threads, const host::Session& session);

}  // namespace kbsim::app
