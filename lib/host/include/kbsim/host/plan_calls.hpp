#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/ccl/plans.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim::host {

/// What a rank's thread blocks need beside its tensors.
struct PlanMemory {
  Ptr scratch = {};
  Ptr ends = {};  // an i32 word a thread block, 0 at first
};

/// Elements of the larger of a rank's input and output, of which `n_elem` are its input's.
[[nodiscard]] std::int64_t plan_elems(const ccl::Plan& plan, std::int64_t n_elem);

/// The kernels of a rank's thread blocks, in their order; `args` are those of its collective, whose n_elem
/// are all of its input's elements. UsageError if chunks don't divide them, or if a slot is too small for the
/// longest message.
[[nodiscard]] std::vector<KernelCall> plan_calls(const ccl::Plan& plan,
                                                 const config::AlgorithmSpec& algorithm,
                                                 const CollectiveArgs& args, const PlanMemory& memory);

}  // namespace kbsim::host
