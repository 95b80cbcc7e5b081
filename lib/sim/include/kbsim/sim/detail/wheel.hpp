#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "kbsim/sim/detail/timed_event.hpp"

namespace kbsim::detail {

/// The future: a hierarchical timing wheel of eight levels of 256 slots, which spans all of Time.
/// An event stands at the level of the highest byte in which its time differs from the wheel's, so equal
/// times always share a slot and stay in the order in which they came. Insertion is O(1), taking
/// amortised O(levels), leaving (Link::unlink) O(1); nothing is allocated.
class Wheel {
 public:
  /// `event.when` must not be before time().
  void insert(TimedEvent& event) {
    const auto when = static_cast<std::uint64_t>(event.when.count());
    const auto level = static_cast<unsigned>(std::bit_width((when ^ time_) | 1) - 1) / kBits;
    const auto index = level * kSlots + static_cast<unsigned>(when >> (level * kBits)) % kSlots;
    slots_[index].push_back(event);
    words_[index / 64] |= std::uint64_t{1} << (index % 64);
    summary_ |= 1U << (index / 64);
  }

  /// Takes the earliest event, and appends the others of its time to `same`; null if there is none.
  TimedEvent* take(List& same) {
    while (summary_ != 0) {
      const unsigned index = first_slot();
      List& slot = slots_[index];
      forget(index);
      if (slot.empty()) continue;  // all its events have left
      if (index >= kSlots && !is_one_time(slot)) {
        spread(slot, index / kSlots);
        continue;
      }
      auto* const first = static_cast<TimedEvent*>(&slot.pop_front());
      same.splice_back(slot);
      time_ = static_cast<std::uint64_t>(first->when.count());
      return first;
    }
    return nullptr;
  }

  [[nodiscard]] Time time() const { return Time{static_cast<std::int64_t>(time_)}; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const List& slot : slots_) slot.for_each(visit);
  }

 private:
  static constexpr unsigned kBits = 8;
  static constexpr unsigned kSlots = 1U << kBits;
  static constexpr unsigned kLevels = 64 / kBits;

  [[nodiscard]] unsigned first_slot() const {
    const auto word = static_cast<unsigned>(std::countr_zero(summary_));
    return word * 64 + static_cast<unsigned>(std::countr_zero(words_[word]));
  }
  void forget(unsigned index) {
    const unsigned word = index / 64;
    words_[word] &= words_[word] - 1;
    if (words_[word] == 0) summary_ &= summary_ - 1;
  }
  static bool is_one_time(const List& slot) {
    const Time when = static_cast<const TimedEvent&>(slot.front()).when;
    if (static_cast<const TimedEvent&>(slot.back()).when != when) return false;
    bool same = true;
    slot.for_each(
        [&](const Link& link) { same = same && static_cast<const TimedEvent&>(link).when == when; });
    return same;
  }
  /// Moves the wheel to the beginning of the slot's span and its events to lower levels.
  void spread(List& slot, unsigned level) {
    const auto any = static_cast<std::uint64_t>(static_cast<const TimedEvent&>(slot.front()).when.count());
    time_ = any >> (level * kBits) << (level * kBits);
    List events{std::move(slot)};
    while (!events.empty()) insert(static_cast<TimedEvent&>(events.pop_front()));
  }

  std::uint64_t time_ = 0;
  std::uint32_t summary_ = 0;                                 // which words have bits
  std::array<std::uint64_t, kLevels * kSlots / 64> words_{};  // which slots have events, or had them
  std::array<List, kLevels * kSlots> slots_;
};

}  // namespace kbsim::detail
