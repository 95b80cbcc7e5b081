#pragma once

#include <cstddef>

#include "installed_queues.hpp"

namespace kbsim::hw {

/// Slots of this PE's rings that tiles free: a credit returns to the sender for each, in ring order, by the
/// fabric or beside it.
class FreedSlots {
 public:
  FreedSlots(const QueueUnit& unit, InstalledQueues& queues) : unit_{unit}, queues_{queues} {}

  /// The queue's credits bypass every router: only the slowest link of the route counts.
  void go_beside_fabric(QueuePair& pair) const;
  /// The tile in this slot is gone.
  void release(std::size_t queue, std::size_t slot);
  /// The number of tiles that release() is about to be called for at this time. The credit of a single one
  /// leaves at once.
  void expect(std::ptrdiff_t releases) { releases_ = releases; }

 private:
  void return_credit(const QueuePair& pair, std::size_t queue);

  const QueueUnit& unit_;
  InstalledQueues& queues_;
  std::ptrdiff_t releases_ = 0;  // at this time
};

}  // namespace kbsim::hw
