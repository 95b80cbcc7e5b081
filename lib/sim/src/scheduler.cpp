#include "kbsim/sim/detail/scheduler.hpp"

#include <algorithm>
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

// Counts the events that still have their turn at the present time.
struct CountPresent {
  const Scheduler& of;
  std::uint64_t operator()() const {
    std::uint64_t count = 0;
    of.for_each_present([&count](const Link&) { ++count; });
    return count;
  }
};

}  // namespace

inline void PromiseBase::go_on(Scheduler& scheduler) {
  scheduler.running().set(process);
  std::coroutine_handle<PromiseBase>::from_promise(*this).resume();
}

void PromiseBase::resume(TimedEvent& event, Scheduler* scheduler) {
  if (scheduler == nullptr) return;  // frames belong to their processes
  static_cast<PromiseBase&>(event).go_on(*scheduler);
}

/// Most events resume a task. They are known by their function; its work is done here, without a call.
template <class Order>
void Scheduler::dispatch(TimedEvent& event) {
  budget_.count();
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
  running_.set(resumes ? static_cast<PromiseBase&>(event).process : nullptr);
  const PartId resumed = running_.process() != nullptr ? running_.process()->part : 0;
  running_.forget_arrival();
  event.dispatch(event, this);
  watch_->ran(now_, resumes ? resumed : running_.place());
}

/// Runs the first event that another has made ready, if any. Called at several places, not in a loop: a
/// processor predicts a jump by its address.
inline void Scheduler::dispatch_ready() {
  if (!ready_.empty() && budget_.is_left()) dispatch<Fifo>(static_cast<TimedEvent&>(ready_.pop_front()));
}

Scheduler::Scheduler(const EventBudget::Limits& limits, std::optional<std::uint64_t> shuffle_seed)
    : budget_{limits} {
  if (!shuffle_seed) return;
  shuffle_ = std::make_unique<Shuffle>(*shuffle_seed);
  plain_ = false;
}

Scheduler::~Scheduler() = default;

Scheduler::Stop Scheduler::run() {
  if (beyond_end_) return Stop::stop_at;
  begin_run();
  Fifo fifo;
  return shuffle_ ? run_as(*shuffle_) : run_as(fifo);
}

Scheduler::Stop Scheduler::run_before(Time end) {
  begin_run();
  Fifo fifo;
  return shuffle_ ? run_window(*shuffle_, end) : run_window(fifo, end);
}

void Scheduler::at_else(TimedEvent& event, Time when) {
  if (causes_ != nullptr) [[unlikely]]
    causes_->scheduled(&event, std::max(when, now_));
  at_alone(event, when);
}

void Scheduler::begin_run() {
  if (future_.look_in_time(budget_.events())) find_lists_before();
  budget_.begin_run();
}

Time Scheduler::next() {
  const bool now = !ready_.empty() || !late_.empty() || !batch_.empty();
  return now ? now_ : future_.next();
}

/// As run_in(), up to `end` and without watch, causes, profile or look.
template <class Order>
Scheduler::Stop Scheduler::run_window(Order& order, Time end) {
  for (;;) {
    if (!run_present(order)) return budget_.stopped();
    TimedEvent* const first = future_.take_before(end, ready_);
    if (first == nullptr) return Stop::idle;
    now_ = first->when;
    budget_.begin_time();
    if constexpr (std::same_as<Order, Fifo>) {
      if (budget_.is_left()) [[likely]] {
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
    // Orders other than Fifo may keep events of this time for themselves.
    const bool none_present = std::same_as<Order, Fifo> && ready_.empty() && late_.empty() && batch_.empty();
    if (!none_present && !run_present(order)) return budget_.stopped();
    TimedEvent* const first = future_.take(ready_);
    if (first == nullptr) return Stop::idle;
    if (first->when > budget_.limits().stop_at) [[unlikely]] {
      beyond_end_ = true;
      ready_.push_front(*first);
      return Stop::stop_at;
    }
    now_ = first->when;
    if (budget_.is_look_due()) [[unlikely]] {
      ready_.push_front(*first);
      return Stop::look;
    }
    budget_.begin_time();
    if constexpr (std::same_as<Order, Fifo> || std::same_as<Order, Profiled<Fifo>>) {
      if (budget_.is_left()) [[likely]] {
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

/// False if the budget has run out.
template <class Order>
bool Scheduler::run_present(Order& order) {
  for (;;) {
    if (!run_all(batch_, order)) return false;
    if (!run_all(ready_, order)) return false;
    if (late_.empty()) return true;
    lates_.begin(now_);
    batch_.splice_back(late_);
  }
}

template <class Order>
bool Scheduler::run_all(List& list, Order& order) {
  while (TimedEvent* const event = order.next(list)) {
    if (!budget_.is_left()) [[unlikely]] {
      list.push_front(*event);
      if (!budget_.goes_on(CountPresent{*this})) return false;
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

void Scheduler::for_each_present(const EventVisitor& visit) const {
  for (const List* list : {&ready_, &late_, &batch_}) list->for_each(visit);
  if (shuffle_) shuffle_->for_each(visit);
}

void Scheduler::for_each(const EventVisitor& visit) const {
  future_.for_each(visit);
  for_each_present(visit);
  never_.for_each(visit);
}

}  // namespace kbsim::detail
