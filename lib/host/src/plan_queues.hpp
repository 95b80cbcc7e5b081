#pragma once

#include "kbsim/base/plan_steps.hpp"
#include "kbsim/ccl/wiring.hpp"

#include "plan_events.hpp"
#include "plan_spread.hpp"

namespace kbsim::host {

/// Whether one thread block can do the whole kernel: it has at most one queue each way, of one channel.
[[nodiscard]] bool fits_a_block(const RecordedKernel& kernel, const ccl::Wiring& wiring, int rank);

/// A thread block, with its PE's queues as connections: the ith queue from one rank to another is channel i.
[[nodiscard]] PlanBlock block_of(const ccl::Wiring& wiring, int rank, int id, SpreadBlock made);

}  // namespace kbsim::host
