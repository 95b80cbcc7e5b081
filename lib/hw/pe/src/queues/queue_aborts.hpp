#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "queue_order.hpp"
#include "slot_receiver.hpp"
#include "slot_sender.hpp"

namespace kbsim::hw {

/// Orders to give up launches: their sends and receives end with LaunchAborted, now and later, and tiles sent
/// to them are released, so that their credits return. Each is done when all slots of the peers are free.
class QueueAborts {
 public:
  QueueAborts(const QueueUnit& unit, InstalledQueues& queues, SlotSender& sender, SlotReceiver& receiver)
      : unit_{unit}, queues_{queues}, sender_{sender}, receiver_{receiver} {}

  /// Launches that were ordered before `before` are given up.
  void add(QueueOrder order, std::uint32_t before);
  /// New commands and messages are there: those of launches that are given up end.
  void before_turn() {
    if (queues_.any_aborted()) [[unlikely]]
      give_up();
  }
  /// Commands and messages were served.
  void after_turn() {
    if (!orders_.empty()) [[unlikely]]
      report_what_is_done();
  }

 private:
  void give_up();
  void give_up(const InstalledQueues::Set& set);
  void report_what_is_done();
  [[nodiscard]] bool all_let_go(const std::string& set) const;

  const QueueUnit& unit_;
  InstalledQueues& queues_;
  SlotSender& sender_;
  SlotReceiver& receiver_;
  std::vector<QueueOrder> orders_;
};

}  // namespace kbsim::hw
