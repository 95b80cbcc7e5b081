#pragma once

#include "kbsim/explain/op_marks.hpp"

#include "ready_run.hpp"

namespace kbsim::app {

/// Simulates the run with its progress, its trace and whatever else its options watch. A run that fails gets
/// its races, its deadlock, its trace, its queues, its explanation until then and its partial results first.
/// KernelFault if the bench sends nothing to the machine: it has measured nothing.
void simulate_watched(const ReadyRun& run, const explain::OpMarks& marks);

}  // namespace kbsim::app
