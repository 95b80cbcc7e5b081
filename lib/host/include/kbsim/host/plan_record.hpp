#pragma once

#include "kbsim/ccl/plan.hpp"
#include "kbsim/config/ccl_spec.hpp"

namespace kbsim::host {

/// An algorithm's kernel as a plan, from what it sends on so many ranks: recorded without a machine, on
/// vectors of an element a share. A kernel with one queue each way is a thread block; of one with more each
/// queue has a thread block, which waits for the others' steps as far as their data asks. Vectors of several
/// PEs of a package are one after the other in its rank's tensor, in a plan that names no collective if it
/// adds these up. Unsupported for a kernel that does other operations than sums, and if the plan isn't right.
[[nodiscard]] ccl::Plan plan_of_kernel(const config::AlgorithmSpec& algorithm, int ranks);

}  // namespace kbsim::host
