#pragma once

#include <coroutine>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <vector>

#include "kbsim/sim/detail/wait.hpp"
#include "kbsim/sim/service.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// Merges several inputs, each a sequence of items, by arrival time; items of one time by input. All arrivals
/// of a time are known before that time (or before late pushes arrive), so the first one is given in the
/// arrival phase. T has the members `Time head`, its arrival time, and `T* next`, which the merge uses while
/// the item is on its way; items stay with their owners. Only the first item of each input has a pending
/// event. Inputs take memory from the first item on.
template <class T>
class Merge {
 public:
  struct Next;

  /// `name` outlives it.
  Merge(Simulation& sim, const std::string& name, std::uint32_t inputs);
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;
  ~Merge();

  /// To be called before the first item: the service takes the items, if no process waits for them by then.
  void served_by(Service service) { service_ = service, part_ = scheduler_.running().part(); }

  /// `item` arrives by that input at item.head, when no other item arrives by it. item.head is later than
  /// now; in the late phase or while the consumer runs, now is allowed.
  void push(std::uint32_t input, T& item) {
    if (inputs_.empty()) [[unlikely]]
      make_inputs();
    Input& to = inputs_[input];
    item.next = nullptr;
    if (to.first == nullptr) {
      to.first = to.last = &item;
      expect(input);
    } else if (item.head > to.last->head) [[likely]] {
      to.last->next = &item;
      to.last = &item;
    } else {
      overtake(input, item);
    }
  }

  /// Items are on their way by this input.
  [[nodiscard]] bool expects(std::uint32_t input) const {
    return !heads_.empty() && heads_[input] != kForever;
  }
  /// More than one item is.
  [[nodiscard]] bool expects_many(std::uint32_t input) const {
    return expects(input) && inputs_[input].first != inputs_[input].last;
  }
  /// Takes out an item that was pushed to this input: it doesn't arrive.
  void withdraw(std::uint32_t input, T& item);

  [[nodiscard]] const std::string& name() const { return name_; }

  /// Waits for the next item; may be awaited again and again. For one consumer.
  [[nodiscard]] Next next(std::source_location at = std::source_location::current()) {
    if (inputs_.empty()) make_inputs();
    return {.merge = *this, .at = at};
  }

 private:
  // The event is its first item's.
  struct Input : detail::TimedEvent {
    Input(Merge& to, std::uint32_t number) : TimedEvent{&arrive}, merge{&to}, index{number} {}
    Merge* merge;
    T* first = nullptr;
    T* last = nullptr;
    T* near = nullptr;  // an item on its way, where the last one overtook others or was withdrawn
    std::uint32_t index;
    // Packets of a train overtake others, or are withdrawn, one after the other. Each search begins here.
    [[nodiscard]] bool is_near(const T& item) const { return near != nullptr && near->head < item.head; }
  };
  static constexpr detail::WaitKind kWaits = detail::kind_of_named<Merge>("mailbox");
  static void arrive(detail::TimedEvent& event, detail::Scheduler* scheduler);
  static void arrive_first(detail::TimedEvent& event, detail::Scheduler* scheduler);
  [[gnu::cold]] void make_inputs();
  void expect_next(std::uint32_t input);
  void overtake(std::uint32_t input, T& item);
  void expect(std::uint32_t input) {
    Input& from = inputs_[input];
    heads_[input] = from.first->head;
    if (const T* const behind = from.first->next) __builtin_prefetch(&behind->head);  // expected next
    scheduler_.at_alone(from, from.first->head);
  }
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  [[nodiscard]] std::uint32_t present() const;
  T& take(std::uint32_t input);

  detail::Scheduler& scheduler_;
  detail::List waiter_;
  std::uint32_t arrived_ = 0;  // the input whose event resumed the waiter
  std::vector<Time> heads_;    // arrivals of first items, by input; kForever if there is none
  std::vector<Input> inputs_;
  const std::string& name_;
  Service service_;
  std::uint32_t count_;  // of inputs
  PartId part_ = 0;      // the service's
};

template <class T>
struct [[nodiscard]] Merge<T>::Next {
  Merge& merge;
  std::source_location at;

  struct Given {
    Merge& merge;
    std::uint32_t input;
    [[nodiscard]] bool await_ready() const { return input != kNone; }
    static void await_suspend(std::coroutine_handle<>) noexcept {}
    T& await_resume() {
      if (input == kNone) input = merge.present();
      return merge.take(input);
    }
  };
  [[nodiscard]] Given suspend(detail::PromiseBase& task) const {
    const std::uint32_t input = merge.present();
    if (input == kNone) {
      task.waits(kWaits, &merge, at, merge.scheduler_.now());
      merge.waiter_.push_back(task);
    }
    return {merge, input};
  }
};

template <class T>
Merge<T>::Merge(Simulation& sim, const std::string& name, std::uint32_t inputs)
    : scheduler_{sim.scheduler()}, name_{name}, count_{inputs} {}

template <class T>
void Merge<T>::make_inputs() {
  heads_.resize(count_, kForever);
  inputs_.reserve(count_);
  for (std::uint32_t i = 0; i < count_; ++i) {
    inputs_.emplace_back(*this, i);
    if (service_) inputs_.back().dispatch = &arrive_first;
  }
}

template <class T>
Merge<T>::~Merge() {
  for (Input& input : inputs_) {
    if (input.linked()) input.unlink();
  }
}

template <class T>
void Merge<T>::arrive(detail::TimedEvent& event, detail::Scheduler* scheduler) {
  if (scheduler == nullptr) return;  // its item's owner keeps it
  auto& input = static_cast<Input&>(event);
  input.merge->arrived_ = input.index;
  auto& waiter = static_cast<detail::PromiseBase&>(input.merge->waiter_.pop_front());
  waiter.dispatch(waiter, scheduler);
}

// The service finds the item there, as a waiting consumer would.
template <class T>
void Merge<T>::arrive_first(detail::TimedEvent& event, detail::Scheduler* scheduler) {
  if (scheduler == nullptr) return;
  auto& input = static_cast<Input&>(event);
  Merge& merge = *input.merge;
  for (Input& each : merge.inputs_) each.dispatch = &arrive;
  merge.arrived_ = input.index;
  merge.service_.start(merge.part_);
}

// The lowest input by which an item arrives now. All such inputs have pending events, but for the one whose
// event ran last.
template <class T>
std::uint32_t Merge<T>::present() const {
  const Time now = scheduler_.now();
  if (scheduler_.alone()) return heads_[arrived_] == now ? arrived_ : kNone;
  for (std::uint32_t i = 0; i < heads_.size(); ++i) {
    if (heads_[i] == now) return i;
  }
  return kNone;
}

// Its event may still be pending, after that of another input.
template <class T>
T& Merge<T>::take(std::uint32_t input) {
  Input& from = inputs_[input];
  if (from.linked()) from.unlink();
  T& item = *from.first;
  if (from.near == &item) [[unlikely]]
    from.near = nullptr;
  from.first = item.next;
  expect_next(input);
  return item;
}

template <class T>
void Merge<T>::expect_next(std::uint32_t input) {
  if (inputs_[input].first != nullptr) {
    expect(input);
  } else {
    heads_[input] = kForever;
  }
}

template <class T>
void Merge<T>::withdraw(std::uint32_t input, T& item) {
  Input& from = inputs_[input];
  if (from.first == &item) {
    if (from.near == &item) from.near = nullptr;
    from.unlink();
    from.first = item.next;
    return expect_next(input);
  }
  T* before = from.is_near(item) ? from.near : from.first;
  while (before->next != &item) before = before->next;
  before->next = item.next;
  if (from.last == &item) from.last = before;
  from.near = before;
}

// Items that were pushed earlier, with later heads, follow it.
template <class T>
void Merge<T>::overtake(std::uint32_t input, T& item) {
  Input& to = inputs_[input];
  T** behind = to.is_near(item) ? &to.near->next : &to.first;
  while ((*behind)->head < item.head) behind = &(*behind)->next;
  item.next = *behind;
  *behind = &item;
  to.near = &item;
  if (to.first != &item) return;
  to.unlink();
  expect(input);
}

}  // namespace kbsim
