#pragma once

#include <cstdint>
#include <deque>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/detail/event_queue.hpp"

namespace kbsim::bench {

/// Bound on what a faster queue could gain: callbacks in lib/sim's own queue, and nothing more. Callbacks of
/// the current time are in a list.
class WheelEngine {
 public:
  using Callback = void (*)(void*);

  WheelEngine() = default;
  WheelEngine(const WheelEngine&) = delete;
  WheelEngine& operator=(const WheelEngine&) = delete;
  ~WheelEngine() = default;

  [[nodiscard]] std::int64_t now() const { return now_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  void at(std::int64_t when, Callback callback, void* argument) {
    if (free_ == nullptr) free_ = &entries_.emplace_back();
    Entry& entry = *free_;
    free_ = entry.next_free;
    entry.callback = callback;
    entry.argument = argument;
    entry.when = Time{when};
    if (when == now_)
      present_.push_back(entry);
    else
      future_.insert(entry);
  }
  void run() {
    look();
    for (;;) {
      while (!present_.empty()) call(static_cast<Entry&>(present_.pop_front()));
      auto* const first = static_cast<Entry*>(future_.take(present_));
      if (first == nullptr) return;
      now_ = first->when.count();
      if (events_ >= look_at_) [[unlikely]]
        look();
      call(*first);
    }
  }

 private:
  struct Entry : detail::TimedEvent {
    Entry() : TimedEvent{nullptr} {}
    Callback callback = nullptr;
    void* argument = nullptr;
    Entry* next_free = nullptr;
  };

  // As the scheduler does: which wheel holds them follows their number.
  void look() {
    future_.look();
    look_at_ = events_ + 4 * detail::EventQueue::Policy{}.many;
  }
  void call(Entry& entry) {
    ++events_;
    const Callback callback = entry.callback;
    void* const argument = entry.argument;
    entry.next_free = free_;
    free_ = &entry;
    callback(argument);
  }

  std::int64_t now_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t look_at_ = 0;
  std::deque<Entry> entries_;
  Entry* free_ = nullptr;
  detail::List present_;
  detail::EventQueue future_;
};

}  // namespace kbsim::bench
