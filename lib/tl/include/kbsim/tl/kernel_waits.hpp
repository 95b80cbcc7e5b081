#pragma once

#include <vector>

#include "kbsim/tl/barrier.hpp"
#include "kbsim/tl/queue_waits.hpp"

namespace kbsim {

/// All that kernels wait for: queues, barriers, signals; with the counters of the queues of those PEs.
void add_kernel_waits(Waits& waits, const std::vector<QueueEnd>& ends,
                      const std::vector<StandingBarrier>& barriers);

}  // namespace kbsim
