#pragma once

#include <vector>

#include "kbsim/base/plan_steps.hpp"
#include "kbsim/ccl/plan.hpp"
#include "kbsim/tl/dir.hpp"

#include "plan_events.hpp"

namespace kbsim::host {

/// A thread block of a kernel that has several queues: one queue is its own, or none.
struct SpreadBlock {
  int pe = 0;
  Dir send = Dir::any;  // any: none
  Dir recv = Dir::any;
  std::vector<PlanStep> steps = {};
};

struct SpreadKernel {
  std::vector<SpreadBlock> blocks;
  int scratch = 0;  // chunks
};

/// What a kernel did as thread blocks that work side by side: one for each queue that it sends by or receives
/// from, and one for what each PE does in memory. A step comes after those of others that wrote what it
/// reads, and after those that read or wrote what it overwrites; further such steps are those of a `nop`
/// before it. What is received goes by way of the scratch. `plan` says how the rank's buffers lie.
[[nodiscard]] SpreadKernel spread(const RecordedKernel& kernel, const ccl::Plan& plan, int rank);

}  // namespace kbsim::host
