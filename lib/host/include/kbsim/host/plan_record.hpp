#pragma once

#include "kbsim/ccl/plan.hpp"
#include "kbsim/config/ccl_spec.hpp"

namespace kbsim::host {

/// An algorithm's kernel as a plan, from what it sends on so many ranks: recorded without a machine, on
/// vectors of an element a share. Unsupported for a kernel that a thread block can't do: on several PEs of a
/// rank, with several neighbours in one direction, or with other operations than sums; and if the plan isn't
/// right.
[[nodiscard]] ccl::Plan plan_of_kernel(const config::AlgorithmSpec& algorithm, int ranks);

}  // namespace kbsim::host
