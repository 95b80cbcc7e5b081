#pragma once

#include "kbsim/ccl/plan.hpp"

namespace kbsim::inputs::msccl {

/// InputError, at a thread block or a step, unless each connection has one sender and one receiver, and its
/// sent and received messages agree in number and length.
void require_queues(const ccl::Plan& plan);

/// InputError, at a step, if the steps wait for each other in a cycle, even with queues of unlimited length.
void require_ends(const ccl::Plan& plan);

}  // namespace kbsim::inputs::msccl
