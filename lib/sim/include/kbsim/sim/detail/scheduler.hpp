#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/causes.hpp"
#include "kbsim/sim/detail/event_queue.hpp"
#include "kbsim/sim/detail/event_visitor.hpp"
#include "kbsim/sim/detail/timed_event.hpp"
#include "kbsim/sim/event_watch.hpp"

namespace kbsim::detail {

class ProcessRecord;
class Shuffle;

/// The order of events. A time has two phases: arrivals run in schedule order until there are none, then the
/// lates queued by then run as one batch. Both repeat until none is left.
class Scheduler {
 public:
  enum class Stop : std::uint8_t { idle, interrupted, max_events, one_time, stop_at, look };

  struct Limits {
    Time stop_at;
    std::uint64_t max_events;
    std::uint64_t max_events_at_one_time;
    std::uint64_t max_turns_at_one_time;
  };

  Scheduler(const Limits& limits, std::optional<std::uint64_t> shuffle_seed);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  [[nodiscard]] Time now() const { return now_; }
  /// Any thread may read events() and running(): a watchdog does (docs/adr/0002).
  [[nodiscard]] std::uint64_t events() const { return events_.load(std::memory_order_relaxed); }

  /// At `when`, or now if that is past; at kForever: never.
  [[gnu::always_inline]] void at(TimedEvent& event, Time when) {
    if (when <= now_ || when >= lists_before_) [[unlikely]]
      return at_else(event, when);
    event.when = when;
    future_.insert_in_list(event);
  }
  /// The same, for an event that has the causes of the items it brings.
  void at_alone(TimedEvent& event, Time when) {
    event.when = when;
    if (when <= now_) {
      ready_.push_back(event);
    } else if (when != kForever) [[likely]] {
      future_.insert(event);
    } else {
      never_.push_back(event);
    }
  }
  void ready(TimedEvent& event) {
    if (causes_ != nullptr) [[unlikely]]
      causes_->scheduled(&event, now_);
    ready_.push_back(event);
  }
  void ready(List& events) {
    if (causes_ != nullptr) [[unlikely]]
      scheduled(events);
    ready_.splice_back(events);
  }
  void late(TimedEvent& event) {
    if (causes_ != nullptr) [[unlikely]]
      causes_->scheduled(&event, now_);
    late_.push_back(event);
  }
  void late(List& events) {
    if (causes_ != nullptr) [[unlikely]]
      scheduled(events);
    late_.splice_back(events);
  }

  /// Keeps the causes of events. To be called before the first event.
  void keep_causes(const Causes::Options& options) {
    causes_ = std::make_unique<Causes>(now_, options);
    plain_ = false;
    find_lists_before();
  }
  [[nodiscard]] Causes* causes() const { return causes_.get(); }

  /// The event goes on when something happens, and not before now.
  void waits(const TimedEvent& event) {
    if (causes_ != nullptr) [[unlikely]]
      causes_->waits(&event);
  }

  /// No other arrived event waits to be run.
  [[nodiscard]] bool alone() const { return ready_.empty() && shuffle_ == nullptr; }
  /// Events are neither observed, explained nor shuffled: one whose turn comes next in any case may run at
  /// once.
  [[nodiscard]] bool plain() const { return plain_; }
  /// Likewise, and no other event is left at this time: an event that becomes late now comes next.
  [[nodiscard]] bool deserted() const { return plain_ && ready_.empty() && late_.empty() && batch_.empty(); }
  /// Lates of the present time have begun to run: all its arrivals have run.
  [[nodiscard]] bool late_begun() const { return late_at_ == now_; }
  void begin_late() {
    batch_of_time_ = batch() + 1;
    late_at_ = now_;
    ++batches_;
  }
  /// Batches of lates that have begun, of all times.
  [[nodiscard]] std::uint64_t batches() const { return batches_; }
  /// Likewise, of the present time.
  [[nodiscard]] std::uint32_t batch() const { return late_begun() ? batch_of_time_ : 0; }

  /// The process that runs just now; null in events that belong to none.
  void running(ProcessRecord* process) { running_.store(process, std::memory_order_relaxed); }
  [[nodiscard]] ProcessRecord* running() const { return running_.load(std::memory_order_relaxed); }
  /// An event that belongs to no process has arrived at this part.
  void arrived(PartId part) { running(nullptr), arrived_ = part; }

  /// The part that is built, outside of events.
  void build(PartId part) { part_ = part; }
  /// The part that owns what is made now: the running process's, or the one that is built.
  [[nodiscard]] PartId part() const;
  /// Null: no watch.
  void watch(EventWatch* watch) {
    watch_ = watch;
    plain_ = plain_ && watch == nullptr;
  }

  /// Runs until nothing is left, a limit is met, or interrupt() is called. Also returns at the first new time
  /// after the events of look_after(), so that the caller can look at the run.
  Stop run();
  /// Runs all events before `end`, unless interrupt() is called or time stands still. Nothing before `end` is
  /// scheduled from outside later.
  Stop run_before(Time end);
  /// A lower bound of the next event's time; kForever if there is none.
  [[nodiscard]] Time next();
  /// Advances to `t`, before which nothing is left.
  void pass(Time t) { now_ = std::max(now_, t); }
  /// To be called before the first run(): forgets earlier calls of interrupt().
  void begin() { interrupted_ = false; }
  void look_after(std::uint64_t events) { look_at_ = this->events() + events; }
  void interrupt() { interrupted_ = true, budget_ = 0; }
  [[nodiscard]] const Limits& limits() const { return limits_; }

  /// Visits the events that still have their turn at the present time.
  void for_each_present(const EventVisitor& visit) const;

  /// Drops the events that `belongs` accepts; false if there are none. Dropping an event may add others.
  template <class Belongs>
  bool drop_if(Belongs belongs) {
    List dropped;
    const auto leave = [&](Link& link) {
      if (!belongs(static_cast<TimedEvent&>(link))) return;
      link.unlink();
      dropped.push_back(link);
    };
    for_each(leave);
    return drop(dropped);
  }

 private:
  void for_each(const EventVisitor& visit) const;
  static bool drop(List& events);
  template <class Order>
  Stop run_as(Order& order);
  template <class Order>
  Stop run_watched(Order& order);
  template <class Order>
  Stop run_in(Order& order);
  template <class Order>
  Stop run_window(Order& order, Time end);
  template <class Order>
  [[nodiscard]] bool none_present() const;
  template <class Order>
  bool run_present(Order& order);
  template <class Order>
  bool run_all(List& list, Order& order);
  template <class Order>
  void dispatch(TimedEvent& event);
  [[gnu::noinline]] void at_else(TimedEvent& event, Time when);
  void find_lists_before() {
    lists_before_ = causes_ != nullptr || future_.is_dense() ? Time::zero() : kForever;
  }
  [[gnu::cold, gnu::noinline]] void scheduled(const List& events);
  void dispatch_watched(TimedEvent& event);
  void dispatch_ready();
  void begin_time();
  void allow(std::uint64_t events);
  [[nodiscard]] bool goes_on();
  [[nodiscard]] std::uint64_t waiting() const;
  [[nodiscard]] Stop stopped() const;
  void look_at_queue() {
    if (events() >= queue_look_at_) count_queue();
  }
  [[gnu::cold]] void count_queue();

  Time now_{};
  Time lists_before_ = kForever;  // an event between now and this goes straight into a list
  Time late_at_ = kForever;       // when lates were run last
  std::uint64_t batches_ = 0;
  std::uint32_t batch_of_time_ = 0;  // at the time at which lates were run last
  std::unique_ptr<Causes> causes_;
  std::atomic<ProcessRecord*> running_ = nullptr;
  std::atomic<std::uint64_t> events_ = 0;
  std::uint64_t budget_ = 0;  // the number of events at which to check limits
  std::uint64_t first_ = 0;   // events before the present time
  std::uint64_t turns_ = 0;   // at the present time, beyond its first events
  std::uint64_t look_at_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t queue_look_at_ = EventQueue::Policy{}.many;  // events
  List ready_;                                               // arrivals of the present time
  List late_;
  List batch_;  // the lates that are being run
  List never_;
  bool plain_ = true;
  bool interrupted_ = false;
  bool beyond_end_ = false;  // the next event is after stop_at
  Limits limits_;
  PartId part_ = 0;
  PartId arrived_ = 0;
  EventWatch* watch_ = nullptr;
  std::unique_ptr<Shuffle> shuffle_;  // null: in order
  EventQueue future_;
};

}  // namespace kbsim::detail
