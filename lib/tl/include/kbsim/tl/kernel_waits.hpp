#pragma once

#include <vector>

#include "kbsim/tl/barrier.hpp"
#include "kbsim/tl/queue_waits.hpp"

namespace kbsim {

/// Adds all waits of kernels (queues, barriers, signals) and the queue counters of those PEs.
void add_kernel_waits(Waits& waits, const std::vector<QueueEnd>& ends,
                      const std::vector<StandingBarrier>& barriers);

}  // namespace kbsim
