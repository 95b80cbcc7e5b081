#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/ccl/plans.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim::host {

/// Memory of a rank's thread blocks beside its tensors.
struct PlanMemory {
  Ptr scratch = {};
  Ptr ends = {};  // one i32 word per thread block, initially 0
};

/// Elements of the larger of a rank's input and output, if its input has n_elem.
[[nodiscard]] std::int64_t plan_elems(const ccl::Plan& plan, std::int64_t n_elem);

/// The kernels of a rank's thread blocks, in their order. `args` are the collective's, with n_elem the
/// elements of the whole input. UsageError if chunks don't divide them, or if a slot is too small for the
/// longest message.
[[nodiscard]] std::vector<KernelCall> plan_calls(const ccl::Plan& plan,
                                                 const config::AlgorithmSpec& algorithm,
                                                 const CollectiveArgs& args, const PlanMemory& memory);

}  // namespace kbsim::host
