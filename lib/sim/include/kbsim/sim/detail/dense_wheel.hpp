#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kbsim/sim/detail/slots.hpp"
#include "kbsim/sim/detail/timed_event.hpp"

namespace kbsim::detail {

/// The future, while it is large: a timing wheel (see Slots) whose slots are dense records of time and event,
/// in insertion order. Events that are out of the cache are touched when their record moves, and fetched
/// ahead before they run. An event stands in its record as in a list of its own, so Link::unlink works as
/// elsewhere. Chunks of records are reused: nothing is allocated in steady state.
class DenseWheel {
 public:
  /// Empty, at a time.
  explicit DenseWheel(Time now = {}) { slots_.advance(now); }
  DenseWheel(const DenseWheel&) = delete;
  DenseWheel& operator=(const DenseWheel&) = delete;
  ~DenseWheel() {
    for_each([](Link& event) { event.unlink(); });
  }

  /// `event.when` must not be before time().
  void insert(TimedEvent& event) {
    put(event, slots_.slot_of(event.when));
    ++records_;
  }

  /// Takes the earliest event, and appends the others of its time to `same`; null if there is none.
  TimedEvent* take(List& same) {
    const Time before = slots_.time();
    for (unsigned index = slots_.take_first(); index != Slots::kNone; index = slots_.take_first()) {
      Slot slot = std::exchange(chains_[index], Slot{});
      if (Slots::level(index) > 0 && !is_one_time(slot)) {
        spread(slot, Slots::level(index));
        continue;
      }
      if (TimedEvent* const first = take_all(slot, index, same)) return first;
    }
    slots_.advance(before);  // all events that it passed had left
    return nullptr;
  }

  /// The same for an event before `end`; null if there is none. Nothing before `end` is inserted later.
  TimedEvent* take_before(Time end, List& same) {
    for (unsigned index = slots_.first(); index != Slots::kNone; index = slots_.first()) {
      const Slot slot = chains_[index];
      const Time first = slot.first->records[0].when;
      const unsigned level = Slots::level(index);
      const bool spreads = level > 0 && !is_one_time(slot);
      if ((spreads ? Slots::begin(first, level) : first) >= end) return nullptr;
      chains_[index] = {};
      slots_.forget(index);
      if (spreads) {
        spread(slot, level);
      } else if (TimedEvent* const taken = take_all(slot, index, same)) {
        return taken;
      }
    }
    return nullptr;
  }
  /// Not after the earliest event; kForever if there is none.
  [[nodiscard]] Time next() const {
    const unsigned index = slots_.first();
    if (index == Slots::kNone) return kForever;
    Time least = kForever;
    for (const Chunk* chunk = chains_[index].first; chunk != nullptr; chunk = chunk->next) {
      for (std::size_t i = 0; i < chunk->count; ++i) least = std::min(least, chunk->records[i].when);
    }
    return least;
  }

  [[nodiscard]] Time time() const { return slots_.time(); }
  /// Number of records, at least that of the events: the record of an event that has left counts until its
  /// time.
  [[nodiscard]] std::size_t count() const { return records_; }

  /// Events of one time in their order. `visit` may take its event out.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : chains_) {
      for (Chunk* chunk = slot.first; chunk != nullptr; chunk = chunk->next) {
        for (std::size_t i = 0; i < chunk->count; ++i) {
          if (Record& record = chunk->records[i]; !record.is_empty()) visit(*record.self.next);
        }
      }
    }
  }

 private:
  struct Record {
    Time when;
    Link self;  // a list of the event alone, or of nothing

    [[nodiscard]] bool is_empty() const { return self.next == &self; }
    void put(TimedEvent& event) {
      when = event.when;
      self.next = self.prev = &event;
      event.next = event.prev = &self;
    }
    TimedEvent& take() { return static_cast<TimedEvent&>(*self.next); }
  };
  static constexpr std::size_t kRecords = 21;  // half a KiB
  struct Chunk {
    Chunk* next;
    std::size_t count;
    std::array<Record, kRecords> records;
  };
  struct Slot {
    Chunk* first = nullptr;
    Chunk* last = nullptr;
  };

  // Takes the events of a slot of one time; null if all have left.
  [[gnu::always_inline]] TimedEvent* take_all(const Slot& slot, unsigned index, List& same) {
    slots_.advance(slot.first->records[0].when);
    fetch_following(index);
    List events;
    release(slot, [&](Record& record) {
      --records_;
      if (!record.is_empty()) events.push_back(record.take());
    });
    if (events.empty()) return nullptr;
    auto* const first = static_cast<TimedEvent*>(&events.pop_front());
    same.splice_back(events);
    return first;
  }
  void put(TimedEvent& event, unsigned index) {
    Slot& slot = chains_[index];
    if (slot.last == nullptr || slot.last->count == kRecords) append_chunk(slot);
    slot.last->records[slot.last->count++].put(event);
    slots_.mark(index);
  }
  void append_chunk(Slot& slot) {
    if (free_ == nullptr) {
      owned_.push_back(std::make_unique_for_overwrite<Chunk>());
      free_ = owned_.back().get();
      free_->next = nullptr;
    }
    Chunk* const chunk = std::exchange(free_, free_->next);
    chunk->next = nullptr;
    chunk->count = 0;
    (slot.last != nullptr ? slot.last->next : slot.first) = chunk;
    slot.last = chunk;
  }
  /// Visits a slot's records, and frees its chunks.
  template <class Visit>
  void release(const Slot& slot, Visit visit) {
    for (Chunk* chunk = slot.first; chunk != nullptr;) {
      if (chunk->next != nullptr) __builtin_prefetch(chunk->next->records.data());
      for (std::size_t i = 0; i < chunk->count; ++i) {
        if (i + kAhead < chunk->count) fetch(chunk->records[i + kAhead]);
        visit(chunk->records[i]);
      }
      Chunk* const done = std::exchange(chunk, chunk->next);
      done->next = std::exchange(free_, done);
    }
  }
  static bool is_one_time(const Slot& slot) {
    const Time when = slot.first->records[0].when;
    for (const Chunk* chunk = slot.first; chunk != nullptr; chunk = chunk->next) {
      for (std::size_t i = 0; i < chunk->count; ++i) {
        if (chunk->records[i].when != when) return false;
      }
    }
    return true;
  }
  /// Moves the wheel to the beginning of the slot's span and its records to lower levels.
  void spread(const Slot& slot, unsigned level) {
    slots_.advance(slot.first->records[0].when, level);
    release(slot, [this](Record& record) {
      if (record.is_empty()) {
        --records_;
      } else {
        TimedEvent& event = record.take();
        put(event, slots_.slot_of(record.when));
      }
    });
  }
  /// Prefetches the cache lines of an event, and of the frame that it mostly stands in.
  static void fetch(const Record& record) {
    const auto* const at = reinterpret_cast<const std::byte*>(record.self.next);
    for (std::size_t i = 0; i < kLines; ++i) __builtin_prefetch(at + i * 64, 1);
  }
  /// Prefetches the first event of each of the next three slots, for the case that slots have few events.
  void fetch_following(unsigned index) const {
    std::uint64_t marks = slots_.beside(index);
    for (int i = 0; i < 3 && marks != 0; ++i, marks &= marks - 1) {
      const unsigned next = index / 64 * 64 + static_cast<unsigned>(std::countr_zero(marks));
      fetch(chains_[next].first->records[0]);
    }
  }

  static constexpr std::size_t kAhead = 8;
  static constexpr std::size_t kLines = 3;

  Slots slots_;
  std::size_t records_ = 0;
  Chunk* free_ = nullptr;
  std::array<Slot, Slots::kAll> chains_{};
  std::vector<std::unique_ptr<Chunk>> owned_;
};

}  // namespace kbsim::detail
