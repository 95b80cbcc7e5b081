#pragma once

#include <string_view>
#include <vector>

#include "kbsim/hw/launch_id.hpp"
#include "kbsim/tl/queue_waits.hpp"

namespace kbsim::hw {

/// The queues of a PE from outside: what launches leave in them, and their counters.
class IQueueState {
 public:
  virtual ~IQueueState() = default;

  /// A launch has ended on all its PEs, with the queues of that set here: KernelFault if something that was
  /// sent in it waits to be received, now or, as it comes, later.
  virtual void ended(std::string_view set, const LaunchId& launch) = 0;
  /// Nothing will be received any more: KernelFault if something waits to be.
  virtual void require_received() const = 0;
  /// Adds its ends of queues with their counters.
  virtual void add_ends(std::vector<QueueEnd>& ends) const = 0;
};

}  // namespace kbsim::hw
