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

  /// A launch that used the queues of this set here has ended on all its PEs. KernelFault if a tile that it
  /// sent waits to be received, now or when it arrives later.
  virtual void ended(std::string_view set, const LaunchId& launch) = 0;
  /// No receive will follow: KernelFault if a tile waits to be received.
  virtual void require_received() const = 0;
  /// Adds its ends of queues with their counters.
  virtual void add_ends(std::vector<QueueEnd>& ends) const = 0;
};

}  // namespace kbsim::hw
