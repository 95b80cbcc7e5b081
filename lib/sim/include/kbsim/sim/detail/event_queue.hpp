#pragma once

#include <cstddef>
#include <memory>

#include "kbsim/sim/detail/dense_wheel.hpp"
#include "kbsim/sim/detail/wheel.hpp"

namespace kbsim::detail {

/// The future: events by time, those of one time in insertion order. Their number, which look() counts,
/// selects the wheel that holds them; the order is the same in both.
class EventQueue {
 public:
  /// From `many` events on they stand in dense records; below `few` in lists again.
  struct Policy {
    std::size_t many = 16'384;
    std::size_t few = 8'192;
  };
  EventQueue() : EventQueue{Policy{}} {}
  explicit EventQueue(const Policy& policy) : policy_{policy} {}

  /// `event.when` must not be before time().
  void insert(TimedEvent& event) {
    if (dense_ != nullptr) [[unlikely]]
      return dense_->insert(event);
    wheel_.insert(event);
  }
  /// The same, unless is_dense().
  void insert_in_list(TimedEvent& event) { wheel_.insert(event); }
  /// Counts the events, touching each. Call it at most once per that number of events.
  void look();
  /// Takes the earliest event, and appends the others of its time to `same`; null if there is none.
  [[gnu::always_inline]] TimedEvent* take(List& same) {
    if (dense_ == nullptr) [[likely]]
      return wheel_.take(same);
    TimedEvent* const first = dense_->take(same);
    if (dense_->count() < policy_.few) to_lists();
    return first;
  }
  /// The same for an event before `end`; null if there is none. Nothing before `end` is inserted later.
  TimedEvent* take_before(Time end, List& same) {
    if (dense_ == nullptr) return wheel_.take_before(end, same);
    TimedEvent* const first = dense_->take_before(end, same);
    if (dense_->count() < policy_.few) to_lists();
    return first;
  }
  /// Not after the earliest event, which may have left; kForever if there is none.
  [[nodiscard]] Time next() { return dense_ != nullptr ? dense_->next() : wheel_.next(); }

  [[nodiscard]] Time time() const { return dense_ != nullptr ? dense_->time() : wheel_.time(); }
  [[nodiscard]] bool is_dense() const { return dense_ != nullptr; }

  template <class Visit>
  void for_each(Visit visit) const {
    if (dense_ != nullptr) return dense_->for_each(visit);
    wheel_.for_each(visit);
  }

 private:
  void to_lists();

  std::unique_ptr<DenseWheel> dense_;  // while it holds the events
  Policy policy_;
  Wheel wheel_;
};

}  // namespace kbsim::detail
