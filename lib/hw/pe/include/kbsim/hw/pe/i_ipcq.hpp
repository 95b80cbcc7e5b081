#pragma once

#include <cstddef>
#include <string_view>

#include "kbsim/base/flow.hpp"
#include "kbsim/hw/launch_id.hpp"
#include "kbsim/hw/memory/slot_messages.hpp"
#include "kbsim/hw/pe/pe_commands.hpp"
#include "kbsim/hw/pe/poll_clock.hpp"

namespace kbsim::hw {

/// A kernel's view of its PE's queues, before it sends and receives.
class IQueueView {
 public:
  virtual ~IQueueView() = default;

  /// The queue that a direction names, for this use of it. KernelFault if there is none, listing the
  /// installed ones, or if the queue goes the other way only.
  [[nodiscard]] virtual std::size_t queue(std::string_view direction, Flow use) const = 0;
  /// Bytes of a slot; 0 without queues.
  [[nodiscard]] virtual Bytes slot_size() const = 0;
  /// True if rings lie outside TCM: received data is copied into a tile that has its own place.
  [[nodiscard]] virtual bool fetches() const = 0;
  /// TCM bytes that the rings of all sets take together.
  [[nodiscard]] virtual Bytes rings_in_tcm() const = 0;
  [[nodiscard]] virtual PollClock& poll_clock() = 0;
  [[nodiscard]] virtual const PollClock& poll_clock() const = 0;
};

/// The queues of a PE: sends leave by its DMA, arrivals fill slots, released tiles free them.
class IIpcq : public IQueueView {
 public:
  /// A launch begins: from here on directions name queues of this set. "": the first set. A set that isn't
  /// installed has none.
  virtual void select(std::string_view set, const LaunchId& launch) = 0;
  virtual void submit(Time at, SendCommand&& command) = 0;
  virtual void submit(Time at, RecvCommand&& command) = 0;
  virtual void arrived(Time at, const SlotWrite& write) = 0;
  virtual void release(Time at, std::size_t queue, std::size_t slot) = 0;
  /// A slot of the peer's ring is free again; the credit bypassed the fabric.
  virtual void credited(Time at, topology::PhysAddr ring_base) = 0;
};

}  // namespace kbsim::hw
