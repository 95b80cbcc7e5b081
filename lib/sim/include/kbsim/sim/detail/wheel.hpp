#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "kbsim/sim/detail/slots.hpp"
#include "kbsim/sim/detail/timed_event.hpp"

namespace kbsim::detail {

/// The future, while it is small: a timing wheel (see Slots) whose slots are lists of the events themselves,
/// in insertion order. Insertion is O(1), taking amortised O(levels), leaving (Link::unlink) O(1); nothing is
/// allocated.
class Wheel {
 public:
  /// `event.when` must not be before time().
  void insert(TimedEvent& event) { put(event, slots_.slot_of(event.when)); }

  /// Takes the earliest event, and appends the others of its time to `same`; null if there is none.
  [[gnu::always_inline]] TimedEvent* take(List& same) {
    for (unsigned index = slots_.take_first(); index != Slots::kNone; index = slots_.take_first()) {
      List& list = lists_[index];
      if (list.empty()) continue;  // all its events have left
      if (Slots::level(index) > 0 && !is_one_time(list)) {
        spread(list, Slots::level(index));
        continue;
      }
      auto* const first = static_cast<TimedEvent*>(&list.pop_front());
      same.splice_back(list);
      slots_.advance(first->when);
      return first;
    }
    return nullptr;
  }

  /// The same for an event before `end`; null if there is none. Nothing before `end` is inserted later.
  TimedEvent* take_before(Time end, List& same) {
    for (unsigned index = slots_.first(); index != Slots::kNone; index = slots_.first()) {
      const List& list = lists_[index];
      if (list.empty()) {
        slots_.forget(index);
        continue;
      }
      const Time first = static_cast<const TimedEvent&>(list.front()).when;
      const unsigned level = Slots::level(index);
      const bool spreads = level > 0 && !is_one_time(list);
      if ((spreads ? Slots::begin(first, level) : first) >= end) return nullptr;
      if (!spreads) return take(same);
      slots_.forget(index);
      spread(lists_[index], level);
    }
    return nullptr;
  }
  /// The time of the earliest event; kForever if there is none.
  [[nodiscard]] Time next() {
    for (unsigned index = slots_.first(); index != Slots::kNone; index = slots_.first()) {
      Time least = kForever;
      lists_[index].for_each(
          [&](const Link& link) { least = std::min(least, static_cast<const TimedEvent&>(link).when); });
      if (least != kForever) return least;
      slots_.forget(index);  // all its events have left
    }
    return kForever;
  }

  [[nodiscard]] Time time() const { return slots_.time(); }
  /// Goes to any other time; the wheel must be empty.
  void restart(Time now) {
    slots_ = Slots{};
    slots_.advance(now);
  }
  [[nodiscard]] std::size_t count() const {
    std::size_t n = 0;
    for_each([&n](const Link&) { ++n; });
    return n;
  }

  /// Events of one time in their order. `visit` may take its event out.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const List& list : lists_) list.for_each(visit);
  }

 private:
  void put(TimedEvent& event, unsigned index) {
    lists_[index].push_back(event);
    slots_.mark(index);
  }
  // Searches from both ends: two chains of loads at one time.
  static bool is_one_time(const List& list) {
    const auto* first = &static_cast<const TimedEvent&>(list.front());
    const auto* last = &static_cast<const TimedEvent&>(list.back());
    const Time when = first->when;
    while (first->when == when && last->when == when) {
      if (first == last || first->next == last) return true;
      first = static_cast<const TimedEvent*>(first->next);
      last = static_cast<const TimedEvent*>(last->prev);
    }
    return false;
  }
  /// Moves the wheel to the beginning of the slot's span and its events to lower levels.
  void spread(List& list, unsigned level) {
    slots_.advance(static_cast<const TimedEvent&>(list.front()).when, level);
    List events{std::move(list)};
    if (level == 1) {  // the most frequent case
      events.for_each([this](Link& link) {
        auto& event = static_cast<TimedEvent&>(link);
        fetch_frame(event);
        put(event, static_cast<unsigned>(event.when.count()) % Slots::kALevel);
      });
    } else {
      events.for_each([this](Link& link) { insert(static_cast<TimedEvent&>(link)); });
    }
    events.let_go();
  }

  /// Prefetches the lines after an event. They mostly hold the frame that it resumes soon.
  static void fetch_frame(const TimedEvent& event) {
    const auto* const at = reinterpret_cast<const std::byte*>(&event);
    __builtin_prefetch(at + 64, 1);
    __builtin_prefetch(at + 128, 1);
  }

  Slots slots_;
  std::array<List, Slots::kAll> lists_;
};

}  // namespace kbsim::detail
