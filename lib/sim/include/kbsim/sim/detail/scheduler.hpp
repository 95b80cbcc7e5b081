#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/causes.hpp"
#include "kbsim/sim/detail/event_budget.hpp"
#include "kbsim/sim/detail/event_queue.hpp"
#include "kbsim/sim/detail/event_visitor.hpp"
#include "kbsim/sim/detail/late_batches.hpp"
#include "kbsim/sim/detail/running.hpp"
#include "kbsim/sim/detail/timed_event.hpp"
#include "kbsim/sim/event_watch.hpp"

namespace kbsim::detail {

class Shuffle;

/// The order of events. A time has two phases: arrivals run in schedule order until there are none, then the
/// lates queued by then run as one batch. Both repeat until none is left.
class Scheduler {
 public:
  using Stop = detail::Stop;

  Scheduler(const EventBudget::Limits& limits, std::optional<std::uint64_t> shuffle_seed);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  [[nodiscard]] Time now() const { return now_; }
  /// Events that have run, and those that may still run.
  [[nodiscard]] const EventBudget& budget() const { return budget_; }
  [[nodiscard]] EventBudget& budget() { return budget_; }
  /// The process that runs just now.
  [[nodiscard]] const Running& running() const { return running_; }
  [[nodiscard]] Running& running() { return running_; }
  /// The batches of lates that have begun.
  [[nodiscard]] LateBatches& lates() { return lates_; }

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
  /// Null: no watch.
  void watch(EventWatch* watch) {
    watch_ = watch;
    plain_ = plain_ && watch == nullptr;
  }

  /// Runs until nothing is left, a limit is met, or the budget is interrupted. Also returns at the first new
  /// time at which a look is due, so that the caller can look at the run.
  Stop run();
  /// Runs all events before `end`, unless it is interrupted or time stands still. Nothing before `end` is
  /// scheduled from outside later.
  Stop run_before(Time end);
  /// A lower bound of the next event's time; kForever if there is none.
  [[nodiscard]] Time next();
  /// Advances to `t`, before which nothing is left.
  void pass(Time t) { now_ = std::max(now_, t); }

  /// Visits the events that still have their turn at the present time.
  void for_each_present(const EventVisitor& visit) const;
  /// Visits all events.
  void for_each(const EventVisitor& visit) const;

 private:
  template <class Order>
  Stop run_as(Order& order);
  template <class Order>
  Stop run_watched(Order& order);
  template <class Order>
  Stop run_in(Order& order);
  template <class Order>
  Stop run_window(Order& order, Time end);
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
  void begin_run();

  Time now_{};
  Time lists_before_ = kForever;  // an event between now and this goes straight into a list
  LateBatches lates_;
  std::unique_ptr<Causes> causes_;
  Running running_;
  List ready_;  // arrivals of the present time
  List late_;
  List batch_;  // the lates that are being run
  List never_;
  bool plain_ = true;
  bool beyond_end_ = false;  // the next event is after stop_at
  EventBudget budget_;
  EventWatch* watch_ = nullptr;
  std::unique_ptr<Shuffle> shuffle_;  // null: in order
  EventQueue future_;
};

}  // namespace kbsim::detail
