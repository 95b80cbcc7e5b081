#pragma once

#include <string>
#include <utility>
#include <vector>

#include "leftover_tiles.hpp"
#include "queue_order.hpp"
#include "slot_receiver.hpp"

namespace kbsim::hw {

/// Orders to remove sets of queues: each is done when nothing is in them and every credit has returned.
class QueueRemovals {
 public:
  QueueRemovals(const QueueUnit& unit, InstalledQueues& queues, SlotReceiver& receiver,
                const LeftoverTiles& leftovers)
      : unit_{unit}, queues_{queues}, receiver_{receiver}, leftovers_{leftovers} {}

  void add(QueueOrder order) {
    orders_.push_back(std::move(order));
    remove_what_is_idle();
  }
  /// Commands and messages were served.
  void after_turn() {
    if (!orders_.empty()) [[unlikely]]
      remove_what_is_idle();
  }

 private:
  void remove_what_is_idle();
  [[nodiscard]] bool is_idle(const std::string& set) const;

  const QueueUnit& unit_;
  InstalledQueues& queues_;
  SlotReceiver& receiver_;
  const LeftoverTiles& leftovers_;
  std::vector<QueueOrder> orders_;
};

}  // namespace kbsim::hw
