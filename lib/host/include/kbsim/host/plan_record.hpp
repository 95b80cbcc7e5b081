#pragma once

#include "kbsim/ccl/plan.hpp"
#include "kbsim/config/ccl_spec.hpp"

namespace kbsim::host {

/// Makes a plan of an algorithm's kernel on `ranks` ranks: recorded without a machine, one element per share.
/// A kernel with one queue each way becomes one thread block; else each queue becomes a thread block, which
/// waits for the steps that its data depends on. Vectors of several PEs of a package lie one after the other
/// in its rank's tensor; a plan that adds these up names no collective. Unsupported for a kernel with other
/// operations than sums, and if the plan isn't right.
[[nodiscard]] ccl::Plan plan_of_kernel(const config::AlgorithmSpec& algorithm, int ranks);

}  // namespace kbsim::host
