#include "kbsim/sim/detail/scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <concepts>
#include <coroutine>
#include <memory>
#include <optional>

#include "kbsim/base/self_profile.hpp"
#include "kbsim/sim/detail/process_record.hpp"
#include "kbsim/sim/detail/shuffle.hpp"

namespace kbsim::detail {

namespace {

const WorkKind kEvents{"queue of events"};

struct Fifo {
  static TimedEvent* next(List& list) {
    return list.empty() ? nullptr : static_cast<TimedEvent*>(&list.pop_front());
  }
  static void found() {}
};

// Finding the next event is work of its own.
template <class Order>
struct Profiled {
  Order& order;
  TimedEvent* next(List& list) {
    (void)self_profile::enter(kEvents.number());
    TimedEvent* const event = order.next(list);
    if (event != nullptr) found();
    return event;
  }
  static void found() { (void)self_profile::enter(0); }
};

/// An order whose events are observed, or whose causes are kept.
template <class Order>
struct Watched {
  static constexpr bool kIsWatched = true;
  TimedEvent* next(List& list) { return order.next(list); }
  Order& order;
};
template <class Order>
constexpr bool kIsWatched = requires { Order::kIsWatched; };

}  // namespace

inline void PromiseBase::go_on(Scheduler& scheduler) {
  scheduler.running(process);
  std::coroutine_handle<PromiseBase>::from_promise(*this).resume();
}

void PromiseBase::resume(TimedEvent& event, Scheduler* scheduler) {
  if (scheduler == nullptr) return;  // frames belong to their processes
  static_cast<PromiseBase&>(event).go_on(*scheduler);
}

/// Most events resume a task. They are known by their function; its work is done here, without a call.
template <class Order>
void Scheduler::dispatch(TimedEvent& event) {
  events_.store(events() + 1, std::memory_order_relaxed);  // its only writer
  if constexpr (kIsWatched<Order>)
    dispatch_watched(event);
  else if (event.dispatch == &PromiseBase::resume) [[likely]]
    static_cast<PromiseBase&>(event).go_on(*this);
  else
    event.dispatch(event, this);
}

/// An event that is no process's own resumes a process, which may end in it, or sets the part at which it
/// arrived.
void Scheduler::dispatch_watched(TimedEvent& event) {
  if (causes_ != nullptr) causes_->runs(&event);
  if (watch_ == nullptr) return event.dispatch(event, this);
  const bool resumes = event.dispatch == &PromiseBase::resume;
  running(resumes ? static_cast<PromiseBase&>(event).process : nullptr);
  const PartId resumed = running() != nullptr ? running()->part : 0;
  arrived_ = 0;
  event.dispatch(event, this);
  if (resumes)
    arrived_ = resumed;
  else if (running() != nullptr)
    arrived_ = running()->part;
  watch_->ran(now_, arrived_);
}

PartId Scheduler::part() const { return running() != nullptr ? running()->part : part_; }

/// Runs the first event that another has made ready, if any. Called at several places, not in a loop: a
/// processor predicts a jump by its address.
inline void Scheduler::dispatch_ready() {
  if (!ready_.empty() && events() < budget_) dispatch<Fifo>(static_cast<TimedEvent&>(ready_.pop_front()));
}

/// The budget stays as it is, which is at most the new time's share; goes_on() adjusts it.
inline void Scheduler::begin_time() {
  first_ = events();
  if (turns_ == 0) [[likely]]
    return;
  turns_ = 0;
  budget_ = events();
}

Scheduler::Scheduler(const Limits& limits, std::optional<std::uint64_t> shuffle_seed) : limits_{limits} {
  if (!shuffle_seed) return;
  shuffle_ = std::make_unique<Shuffle>(*shuffle_seed);
  plain_ = false;
}

Scheduler::~Scheduler() = default;

Scheduler::Stop Scheduler::run() {
  if (beyond_end_) return Stop::stop_at;
  look_at_queue();
  begin_time();
  allow(limits_.max_events_at_one_time);
  Fifo fifo;
  return shuffle_ ? run_as(*shuffle_) : run_as(fifo);
}

Scheduler::Stop Scheduler::run_before(Time end) {
  look_at_queue();
  begin_time();
  allow(limits_.max_events_at_one_time);
  Fifo fifo;
  return shuffle_ ? run_window(*shuffle_, end) : run_window(fifo, end);
}

void Scheduler::at_else(TimedEvent& event, Time when) {
  if (causes_ != nullptr) [[unlikely]]
    causes_->scheduled(&event, std::max(when, now_));
  at_alone(event, when);
}

// Counts again after four times the number of events that lists may hold.
void Scheduler::count_queue() {
  future_.look();
  find_lists_before();
  queue_look_at_ = events() + 4 * EventQueue::Policy{}.many;
}

Time Scheduler::next() {
  const bool now = !ready_.empty() || !late_.empty() || !batch_.empty();
  return now ? now_ : future_.next();
}

/// As run_in(), up to `end` and without watch, causes, profile or look.
template <class Order>
Scheduler::Stop Scheduler::run_window(Order& order, Time end) {
  for (;;) {
    if (!run_present(order)) return stopped();
    TimedEvent* const first = future_.take_before(end, ready_);
    if (first == nullptr) return Stop::idle;
    now_ = first->when;
    begin_time();
    if constexpr (std::same_as<Order, Fifo>) {
      if (budget_ > events()) [[likely]] {
        dispatch<Order>(*first);
        dispatch_ready();
        dispatch_ready();
        continue;
      }
    }
    ready_.push_front(*first);
  }
}

/// Runs in that order; events are profiled and observed on request.
template <class Order>
Scheduler::Stop Scheduler::run_as(Order& order) {
  if (!self_profile::is_on()) [[likely]]
    return run_watched(order);
  Profiled<Order> profiled{order};
  return run_watched(profiled);
}

template <class Order>
Scheduler::Stop Scheduler::run_watched(Order& order) {
  if (watch_ == nullptr && causes_ == nullptr) [[likely]]
    return run_in(order);
  Watched<Order> watched{order};
  return run_in(watched);
}

template <class Order>
Scheduler::Stop Scheduler::run_in(Order& order) {
  for (;;) {
    if (!none_present<Order>() && !run_present(order)) return stopped();
    TimedEvent* const first = future_.take(ready_);
    if (first == nullptr) return Stop::idle;
    if (first->when > limits_.stop_at) [[unlikely]] {
      beyond_end_ = true;
      ready_.push_front(*first);
      return Stop::stop_at;
    }
    now_ = first->when;
    if (events() >= look_at_ && !interrupted_) [[unlikely]] {
      ready_.push_front(*first);
      return Stop::look;
    }
    begin_time();
    if constexpr (std::same_as<Order, Fifo> || std::same_as<Order, Profiled<Fifo>>) {
      if (budget_ > events()) [[likely]] {
        order.found();
        dispatch<Order>(*first);
        dispatch_ready();
        dispatch_ready();
        continue;
      }
    }
    ready_.push_front(*first);
  }
}

/// Nothing is left at this time by the lists; orders other than Fifo may keep some for themselves.
template <class Order>
bool Scheduler::none_present() const {
  return std::same_as<Order, Fifo> && ready_.empty() && late_.empty() && batch_.empty();
}

/// False if the budget has run out.
template <class Order>
bool Scheduler::run_present(Order& order) {
  for (;;) {
    if (!run_all(batch_, order)) return false;
    if (!run_all(ready_, order)) return false;
    if (late_.empty()) return true;
    begin_late();
    batch_.splice_back(late_);
  }
}

template <class Order>
bool Scheduler::run_all(List& list, Order& order) {
  while (TimedEvent* const event = order.next(list)) {
    if (events() >= budget_) [[unlikely]] {
      list.push_front(*event);
      if (!goes_on()) return false;
      continue;
    }
    dispatch<Order>(*event);
  }
  return true;
}

void Scheduler::scheduled(const List& events) {
  events.for_each(
      [this](const Link& event) { causes_->scheduled(static_cast<const TimedEvent*>(&event), now_); });
}

// Many events may have one time. Time stands still if they go on creating others. So all that wait now run,
// then all that wait by then, and so on for a number of turns.
bool Scheduler::goes_on() {
  if (interrupted_ || events() >= limits_.max_events) return false;
  const std::uint64_t so_far = events() - first_;
  if (so_far < limits_.max_events_at_one_time) {
    allow(limits_.max_events_at_one_time - so_far);
  } else if (turns_ < limits_.max_turns_at_one_time) {
    ++turns_;
    allow(waiting());
  }
  return budget_ > events();
}

void Scheduler::for_each_present(const EventVisitor& visit) const {
  for (const List* list : {&ready_, &late_, &batch_}) list->for_each(visit);
  if (shuffle_) shuffle_->for_each(visit);
}

void Scheduler::for_each(const EventVisitor& visit) const {
  future_.for_each(visit);
  for_each_present(visit);
  never_.for_each(visit);
}

bool Scheduler::drop(List& events) {
  if (events.empty()) return false;
  while (!events.empty()) {
    auto& event = static_cast<TimedEvent&>(events.pop_front());
    event.dispatch(event, nullptr);
  }
  return true;
}

std::uint64_t Scheduler::waiting() const {
  std::uint64_t count = 0;
  for_each_present([&count](const Link&) { ++count; });
  return count;
}

void Scheduler::allow(std::uint64_t events) {
  const std::uint64_t left = limits_.max_events - std::min(this->events(), limits_.max_events);
  budget_ = this->events() + std::min(left, events);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // a signal handler may have interrupted before
  if (interrupted_) [[unlikely]]
    budget_ = 0;
}

Scheduler::Stop Scheduler::stopped() const {
  if (interrupted_) return Stop::interrupted;
  return events() >= limits_.max_events ? Stop::max_events : Stop::one_time;
}

}  // namespace kbsim::detail
