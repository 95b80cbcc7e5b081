#pragma once

#include "kbsim/ccl/plan.hpp"

namespace kbsim::inputs::msccl {

/// InputError, at a thread block or a step, unless each connection has one sender and one receiver, and the
/// messages that are sent are as many and as long as those that are received.
void require_queues(const ccl::Plan& plan);

/// InputError, at a step, for a plan whose steps wait for each other in a circle, with queues of any length.
void require_ends(const ccl::Plan& plan);

}  // namespace kbsim::inputs::msccl
