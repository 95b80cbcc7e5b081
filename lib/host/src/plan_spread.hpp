#pragma once

#include <vector>

#include "kbsim/base/plan_steps.hpp"
#include "kbsim/ccl/plan.hpp"
#include "kbsim/tl/dir.hpp"

#include "plan_events.hpp"

namespace kbsim::host {

/// A thread block of a kernel that has several queues. It has at most one queue.
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

/// The actions of a kernel as parallel thread blocks: one per queue that it sends to or receives from, and
/// one per PE for work in memory. A step depends on the steps of others that wrote its sources, and on those
/// that read or wrote its targets; each further dependency is a `nop` before it. Received data goes through
/// the scratch. `plan` gives the layout of the rank's buffers.
[[nodiscard]] SpreadKernel spread(const RecordedKernel& kernel, const ccl::Plan& plan, int rank);

}  // namespace kbsim::host
