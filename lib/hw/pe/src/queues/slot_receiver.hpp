#pragma once

#include "freed_slots.hpp"
#include "leftover_tiles.hpp"
#include "queue_looks.hpp"

namespace kbsim::hw {

/// The receiver's side of the queues. Receives take slots in their order: from a ring in TCM the tile lives
/// in the slot and frees it when released; from another ring it is fetched into TCM, which frees the slot.
class SlotReceiver {
 public:
  SlotReceiver(const QueueUnit& unit, InstalledQueues& queues, QueueLooks& looks, LeftoverTiles& leftovers,
               FreedSlots& freed)
      : unit_{unit}, queues_{queues}, looks_{looks}, leftovers_{leftovers}, freed_{freed} {}

  /// Queues were installed or dropped.
  void resize() { receives_.resize(queues_.all().size()); }
  /// A receive begins to wait.
  void take(RecvCommand&& command);
  /// A slot is filled; `why`, if causes are kept. KernelFault if a launch that has ended left its tile.
  void arrived(topology::PhysAddr slot, const SlotHeader& tile, const Cause* why);
  /// Gives tiles to the running kernel's receives.
  void serve();
  [[nodiscard]] const QueueMatcher<RecvCommand>& waiting() const { return receives_; }
  /// Drops the waiting receives of a set for which `which` holds. Calls it once per receive.
  template <class Which>
  void erase_if(const InstalledQueues::Set& set, const Which& which) {
    receives_.erase_if(set.queues, [&](const RecvCommand& recv) {
      return (recv.queue || &queues_.in_use() == &set) && which(recv);
    });
    any_new_ = true;
  }
  /// Drops the queue's next tiles whose launches are given up, which frees their slots.
  void drop_given_up(std::size_t queue);

 private:
  void give(std::size_t queue, RecvCommand&& to);
  void hand_over(const RingSlot& slot, RecvCommand&& to, Time at);
  [[nodiscard]] TilePtr slot_tile(const topology::PhysRange& where, const RingSlot& slot,
                                  std::shared_ptr<KernelContext> kernel, const RecvCommand& to,
                                  Time at) const;

  const QueueUnit& unit_;
  InstalledQueues& queues_;
  QueueLooks& looks_;
  LeftoverTiles& leftovers_;
  FreedSlots& freed_;
  QueueMatcher<RecvCommand> receives_;
  bool any_new_ = false;  // receives or tiles since the last turn
};

}  // namespace kbsim::hw
