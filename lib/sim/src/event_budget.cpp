#include "kbsim/sim/detail/event_budget.hpp"

#include <algorithm>

namespace kbsim::detail {

std::uint64_t EventBudget::left_at_this_time() const {
  const std::uint64_t so_far = events() - first_;
  return limits_.max_events_at_one_time - std::min(so_far, limits_.max_events_at_one_time);
}

void EventBudget::allow(std::uint64_t events) {
  const std::uint64_t left = limits_.max_events - std::min(this->events(), limits_.max_events);
  budget_ = this->events() + std::min(left, events);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // a signal handler may have interrupted before
  if (interrupted_) [[unlikely]]
    budget_ = 0;
}

}  // namespace kbsim::detail
