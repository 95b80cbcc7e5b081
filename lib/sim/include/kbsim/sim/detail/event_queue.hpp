#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kbsim/sim/detail/event_visitor.hpp"
#include "kbsim/sim/detail/wheel.hpp"

namespace kbsim::detail {

class DenseWheel;

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
  explicit EventQueue(const Policy& policy);
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue();

  /// `event.when` must not be before time().
  void insert(TimedEvent& event) {
    if (dense_ != nullptr) [[unlikely]]
      return insert_dense(event);
    wheel_.insert(event);
  }
  /// The same, unless is_dense().
  void insert_in_list(TimedEvent& event) { wheel_.insert(event); }
  /// Counts the events, touching each. Call it at most once per that number of events.
  void look();
  /// The same, but after four times the number of events that lists may hold; `run` have run so far. False if
  /// it isn't time yet.
  bool look_in_time(std::uint64_t run) {
    if (run < look_at_) return false;
    look();
    look_at_ = run + 4 * policy_.many;
    return true;
  }
  /// Takes the earliest event, and appends the others of its time to `same`; null if there is none.
  [[gnu::always_inline]] TimedEvent* take(List& same) {
    if (dense_ == nullptr) [[likely]]
      return wheel_.take(same);
    return take_dense(same);
  }
  /// The same for an event before `end`; null if there is none. Nothing before `end` is inserted later.
  TimedEvent* take_before(Time end, List& same) {
    return dense_ == nullptr ? wheel_.take_before(end, same) : take_dense_before(end, same);
  }
  /// Not after the earliest event, which may have left; kForever if there is none.
  [[nodiscard]] Time next();

  [[nodiscard]] Time time() const;
  [[nodiscard]] bool is_dense() const { return dense_ != nullptr; }

  /// Events of one time in their order. `visit` may take its event out.
  void for_each(const EventVisitor& visit) const;

 private:
  void insert_dense(TimedEvent& event);
  [[nodiscard]] TimedEvent* take_dense(List& same);
  [[nodiscard]] TimedEvent* take_dense_before(Time end, List& same);
  void to_lists();

  std::unique_ptr<DenseWheel> dense_;  // while it holds the events
  Policy policy_;
  std::uint64_t look_at_ = policy_.many;  // events
  Wheel wheel_;
};

}  // namespace kbsim::detail
