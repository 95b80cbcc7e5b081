#pragma once

#include "kbsim/base/plan_steps.hpp"
#include "kbsim/ccl/wiring.hpp"

#include "plan_events.hpp"
#include "plan_spread.hpp"

namespace kbsim::host {

/// Whether one thread block does all of it: it has a queue each way at most, of one channel.
[[nodiscard]] bool fits_a_block(const RecordedKernel& kernel, const ccl::Wiring& wiring, int rank);

/// A PE's queues as connections of a plan, the ith from one rank to another on channel i.
[[nodiscard]] PlanBlock block_of(const ccl::Wiring& wiring, int rank, int id, SpreadBlock made);

}  // namespace kbsim::host
