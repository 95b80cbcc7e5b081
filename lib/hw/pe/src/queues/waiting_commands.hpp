#pragma once

#include "installed_queues.hpp"

namespace kbsim::hw {

/// The sends and receives of the running kernel that wait for a slot or a tile.
class WaitingCommands {
 public:
  WaitingCommands(const QueueUnit& unit, const InstalledQueues& queues,
                  const QueueMatcher<RecvCommand>& receives)
      : unit_{unit}, queues_{queues}, receives_{receives} {}

  /// Their kernel; none if no command waits.
  [[nodiscard]] const KernelContext* kernel() const;
  /// Whether the slot or the tile of any of them is there.
  [[nodiscard]] bool can_go_on() const;
  /// Cause of the waits that begin now. Causes are kept.
  [[nodiscard]] Cause why() const;

 private:
  [[nodiscard]] bool can_go_on(std::size_t queue) const;

  const QueueUnit& unit_;
  const InstalledQueues& queues_;
  const QueueMatcher<RecvCommand>& receives_;
};

}  // namespace kbsim::hw
