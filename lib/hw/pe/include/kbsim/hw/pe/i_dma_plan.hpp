#pragma once

#include <memory>
#include <optional>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/pe/transfer.hpp"

namespace kbsim::hw {

class DmaEngine;
struct DmaQueue;

/// Plans the turns of a DMA ahead where their times are known: then they need no events. All times and
/// statistics are those without a plan. A plan ends when other work arrives that would have a turn before.
class IDmaPlan {
 public:
  virtual ~IDmaPlan() = default;

  /// A turn begins: planned turns before it are past.
  virtual void begin_turn() = 0;
  /// All work of this time is known. True: planned reads go on, and the DMA has nothing else to do.
  [[nodiscard]] virtual bool goes_on() = 0;
  /// The port is free, and reads wait. True: they are planned.
  [[nodiscard]] virtual bool plan_reads() = 0;
  /// A packet of the class's burst has its turn. Plans it with those that follow; returns their port time.
  /// nullopt: send() it.
  [[nodiscard]] virtual std::optional<Time> plan_burst(DmaQueue& queue, Bytes size, Time gap) = 0;
  /// Sends a packet that isn't planned; it leaves TCM in that slot.
  virtual void send(Message& message, Bytes size, Lane::Slot slot) = 0;
  /// Other packets leave TCM at that time.
  virtual void leave(Time at) = 0;
  /// Work of the kind `planned` is due.
  virtual void is_due(Token token) = 0;
  /// Another unit is about to read TCM's port.
  virtual void before_read() = 0;

  /// True if a planned packet passes the DMA now.
  [[nodiscard]] virtual bool passes_now() const = 0;
  /// True if the plan ends the first transfer of the class.
  [[nodiscard]] virtual bool ends(const DmaQueue& queue) const = 0;
  /// True if the plan finishes the transfer.
  [[nodiscard]] virtual bool finishes(const TransferPtr& transfer) const = 0;
};

/// Makes the plans of this build; nullptr: it has none.
using MakeDmaPlan = std::unique_ptr<IDmaPlan> (*)(DmaEngine& engine);
[[nodiscard]] MakeDmaPlan dma_planner();
/// Always true.
bool register_dma_planner(MakeDmaPlan make) noexcept;

}  // namespace kbsim::hw
