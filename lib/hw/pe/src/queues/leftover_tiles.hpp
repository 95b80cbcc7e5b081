#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kbsim/base/error.hpp"

#include "installed_queues.hpp"

namespace kbsim::hw {

/// Tiles that a launch sent and didn't receive: it may not leave them to the next one, unless the algorithm
/// says so (QueueSettings::carries_over).
class LeftoverTiles {
 public:
  LeftoverTiles(const QueueUnit& unit, InstalledQueues& queues) : unit_{unit}, queues_{queues} {}

  /// A launch begins on this PE.
  void begin(const LaunchId& launch);
  /// See IQueueState::ended.
  void end(std::string_view set, const LaunchId& launch);
  /// See IQueueState::require_received.
  void require_received() const;
  /// Whether a tile of an ended launch is here, and its set allows none.
  [[nodiscard]] bool ended_here(const QueuePair& pair, const SlotHeader& tile) const;
  /// Whether this launch may receive the tile, which it then has. False for a tile that an earlier launch
  /// here has left, and if two launches receive tiles of one launch.
  [[nodiscard]] bool is_for(const LaunchId& by, QueuePair& pair, const SlotHeader& tile) const;
  /// The fault of a tile that wasn't received, and why that can't change.
  [[nodiscard]] KernelFault left(const QueuePair& pair, const SlotHeader& tile, std::string_view why) const;

 private:
  [[nodiscard]] bool has_begun(const QueuePair& pair, std::uint32_t order) const;

  const QueueUnit& unit_;
  InstalledQueues& queues_;
  std::vector<std::uint32_t> begun_;  // orders of the launches that have begun here, ascending
  std::vector<std::uint32_t> ended_;  // and of those that have ended on all their PEs
};

}  // namespace kbsim::hw
