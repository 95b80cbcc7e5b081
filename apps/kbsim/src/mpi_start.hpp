#pragma once

#include <memory>

#include "kbsim/sweep/worker_ranks.hpp"

namespace kbsim::app {

/// The ranks that this process was started with by mpirun; nullptr if it was started alone. UsageError if
/// this kbsim was built without MPI.
[[nodiscard]] std::unique_ptr<sweep::Ranks> started_ranks();

}  // namespace kbsim::app
