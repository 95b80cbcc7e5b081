#pragma once

#include "installed_queues.hpp"
#include "queue_looks.hpp"

namespace kbsim::hw {

/// The sender's side of the queues. A send waits while all slots of the peer's ring are taken, then its tile
/// leaves by a DMA write to the next slot. Credits free slots.
class SlotSender {
 public:
  SlotSender(const QueueUnit& unit, InstalledQueues& queues, QueueLooks& looks)
      : unit_{unit}, queues_{queues}, looks_{looks} {}

  /// A send begins to wait.
  void take(SendCommand&& command);
  /// A slot of this ring is free again; `why`, if causes are kept.
  void credited(topology::PhysAddr ring_base, const Cause* why);
  /// Sends what has a slot, in the order of the commands per queue.
  void serve();
  /// Drops the waiting sends of a queue for which `which` holds. Calls it once per send.
  template <class Which>
  void erase_if(std::size_t queue, const Which& which) {
    queues_[queue].sends.erase_if(which);
    any_new_ = true;
  }

 private:
  void send_what_fits(std::size_t queue);
  [[nodiscard]] Cause has_room_because(const QueuePair& pair, const Cause& ready) const;
  void send(std::size_t queue, SendCommand&& command, Time at);
  void note_slot(ISpans& spans, const QueuePair& pair, Time at, std::int64_t change) const;

  const QueueUnit& unit_;
  InstalledQueues& queues_;
  QueueLooks& looks_;
  bool any_new_ = false;  // sends or credits since the last turn
};

}  // namespace kbsim::hw
