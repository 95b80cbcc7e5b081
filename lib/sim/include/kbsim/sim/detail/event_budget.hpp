#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "kbsim/base/time.hpp"

namespace kbsim::detail {

/// Why a run has ended, or stands still for a look.
enum class Stop : std::uint8_t { idle, interrupted, max_events, one_time, stop_at, look };

/// Counts events, and says whether the next one may run: until interrupt(), the greatest number of events, or
/// too many at one time. The check of an event is one comparison.
class EventBudget {
 public:
  struct Limits {
    Time stop_at;
    std::uint64_t max_events;
    std::uint64_t max_events_at_one_time;
    std::uint64_t max_turns_at_one_time;
  };

  explicit EventBudget(const Limits& limits) : limits_{limits} {}

  [[nodiscard]] const Limits& limits() const { return limits_; }
  /// Events that have begun. Any thread may read it: a watchdog does (docs/adr/0002).
  [[nodiscard]] std::uint64_t events() const { return events_.load(std::memory_order_relaxed); }
  /// Another begins.
  void count() { events_.store(events() + 1, std::memory_order_relaxed); }  // its only writer

  /// The next event may run. If not, goes_on() says whether it may after all.
  [[nodiscard]] bool is_left() const { return events() < budget_; }
  /// Events may have one time, and time stands still if they go on creating others. So all that wait now
  /// run, `waiting()` in number, then all that wait by then, and so on for a number of turns.
  template <class Waiting>
  [[nodiscard]] bool goes_on(Waiting waiting) {
    if (stopped() != Stop::one_time) return false;
    if (const std::uint64_t left = left_at_this_time(); left > 0)
      allow(left);
    else if (turns_ < limits_.max_turns_at_one_time)
      ++turns_, allow(waiting());
    return is_left();
  }
  /// Why it doesn't go on.
  [[nodiscard]] Stop stopped() const {
    if (interrupted_) return Stop::interrupted;
    return events() >= limits_.max_events ? Stop::max_events : Stop::one_time;
  }

  /// Events of a run begin.
  void begin_run() {
    begin_time();
    allow(limits_.max_events_at_one_time);
  }
  /// Events of another time begin. The budget stays as it is, which is at most the new time's share;
  /// goes_on() adjusts it.
  void begin_time() {
    first_ = events();
    if (turns_ == 0) [[likely]]
      return;
    turns_ = 0;
    budget_ = events();
  }

  /// No other event runs. A signal handler may call it.
  void interrupt() { interrupted_ = true, budget_ = 0; }
  void forget_interrupt() { interrupted_ = false; }

  /// After this number of events the caller wants to look at the run.
  void look_after(std::uint64_t events) { look_at_ = this->events() + events; }
  [[nodiscard]] bool is_look_due() const { return events() >= look_at_ && !interrupted_; }

 private:
  void allow(std::uint64_t events);
  [[nodiscard]] std::uint64_t left_at_this_time() const;

  std::atomic<std::uint64_t> events_ = 0;
  std::uint64_t budget_ = 0;  // the number of events at which to check limits
  std::uint64_t first_ = 0;   // events before the present time
  std::uint64_t turns_ = 0;   // at the present time, beyond its first events
  std::uint64_t look_at_ = std::numeric_limits<std::uint64_t>::max();
  bool interrupted_ = false;
  Limits limits_;
};

}  // namespace kbsim::detail
