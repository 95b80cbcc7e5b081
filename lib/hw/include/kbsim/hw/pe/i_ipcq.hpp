#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "kbsim/hw/pe/pe_commands.hpp"
#include "kbsim/hw/pe/poll_clock.hpp"
#include "kbsim/hw/pe/slot_messages.hpp"
#include "kbsim/tl/queue_waits.hpp"

namespace kbsim::hw {

/// What a kernel must know of its PE's queues before it sends and receives.
class IQueueView {
 public:
  virtual ~IQueueView() = default;

  /// Which queue a direction names; KernelFault listing those installed if none.
  [[nodiscard]] virtual std::size_t queue(std::string_view direction) const = 0;
  /// Of a queue, or the largest of all.
  [[nodiscard]] virtual Bytes slot_size(std::optional<std::size_t> queue) const = 0;
  /// Rings lie outside of TCM: what is received is copied into a tile that has its own place.
  [[nodiscard]] virtual bool fetches() const = 0;
  /// TCM that rings take, of all sets together.
  [[nodiscard]] virtual Bytes rings_in_tcm() const = 0;
  [[nodiscard]] virtual PollClock& poll_clock() = 0;
};

/// The queues of a PE: sends leave by its DMA, arrivals fill slots, tiles that are let go free them.
class IIpcq : public IQueueView {
 public:
  /// A launch begins: from here on directions are those of this set, of the first one for "", of none if it
  /// isn't installed.
  virtual void select(std::string_view set, const LaunchId& launch) = 0;
  virtual void submit(Time at, SendCommand command) = 0;
  virtual void submit(Time at, RecvCommand command) = 0;
  virtual void arrived(Time at, const SlotWrite& write) = 0;
  virtual void release(Time at, std::size_t queue, std::size_t slot) = 0;
};

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
