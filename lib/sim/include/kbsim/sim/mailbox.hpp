#pragma once

#include <concepts>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/sim/box_name.hpp"
#include "kbsim/sim/detail/collect_soon.hpp"
#include "kbsim/sim/detail/drop_events.hpp"
#include "kbsim/sim/detail/wait.hpp"
#include "kbsim/sim/service.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// The timed mailbox, which joins the components of the machine. A sender posts an item for a time; the event
/// that brings the item resumes the process that waits for it, if any. One event per item, no limit to their
/// number, and no allocation in steady state. Items of one time arrive in the order of their posts (in any
/// order if ties are shuffled).
template <class T>
class Mailbox {
 public:
  struct Receive;
  struct Collect;

  Mailbox(Simulation& sim, BoxName name)
      : scheduler_{sim.scheduler()}, name_{name}, part_{scheduler_.running().part()} {}
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox();

  /// To be called before the first item: the service takes the items, if no process waits for them by then.
  void served_by(Service service) { service_ = service; }

  /// Never waits. Throws InternalError if `at` is before now() or never comes. The item is made from `what`.
  template <std::convertible_to<T> U = T>
  void post(Time at, U&& what);

  /// Waits for the next item, in the arrival phase; doesn't wait if one is there. Receivers are served
  /// in the order of their waits.
  [[nodiscard]] Receive receive(std::source_location at = std::source_location::current()) {
    return {.box = *this, .at = at};
  }
  /// Waits until at least one item is there, then for the late phase of that time, and appends all items
  /// that are there then. For a mailbox with a single consumer; else it may find none.
  [[nodiscard]] Collect collect(std::vector<T>& into,
                                std::source_location at = std::source_location::current()) {
    return {.box = *this, .into = into, .at = at};
  }

  /// Where causes are kept: the causes of the items that were collected last, in their order.
  [[nodiscard]] const std::vector<Cause>& collected() const { return causes_->collected; }

  [[nodiscard]] bool empty() const { return items_.empty(); }
  /// The consumer goes on in the batch of lates that is being run, and hasn't yet.
  [[nodiscard]] bool due() const {
    return !items_.empty() && collectors_.empty() && called_ < scheduler_.lates().count();
  }
  [[nodiscard]] std::string name() const { return name_.text(); }

 private:
  struct Item : detail::TimedEvent {
    template <class U>
    Item(Mailbox& to, U&& what) : TimedEvent{&arrive}, box{to}, value(std::forward<U>(what)) {}
    static void* operator new(std::size_t size) { return detail::Pool::allocate(size); }
    static void operator delete(void* item, std::size_t size) { detail::Pool::free(item, size); }
    Mailbox& box;
    T value;
  };
  static constexpr detail::WaitKind kWaits = detail::kind_of_named<Mailbox>("mailbox");
  static void arrive(detail::TimedEvent& event, detail::Scheduler* scheduler);
  template <class Use>
  auto take(Use use);
  [[gnu::cold]] void note(const Cause& why) {
    if (!causes_) causes_ = std::make_unique<Reasons>();
    causes_->came.push_back(why);
  }

  detail::Scheduler& scheduler_;
  BoxName name_;
  detail::List items_;
  detail::List receivers_;  // only while there are no items
  detail::List collectors_;
  Service service_;
  std::uint32_t in_flight_ = 0;
  PartId part_;
  std::uint64_t called_ = 0;  // batches that had begun when the consumer was called last
  struct Reasons {
    std::vector<Cause> came;  // causes of items_
    std::vector<Cause> collected;
  };
  std::unique_ptr<Reasons> causes_;  // where they are kept
};

template <class T>
struct [[nodiscard]] Mailbox<T>::Receive {
  Mailbox& box;
  std::source_location at;

  struct Received {
    Mailbox& box;
    [[nodiscard]] bool await_ready() const { return !box.items_.empty(); }
    static void await_suspend(std::coroutine_handle<>) noexcept {}
    T await_resume() {
      return box.take([](T&& item) { return std::move(item); });
    }
  };
  [[nodiscard]] Received suspend(detail::PromiseBase& task) const {
    if (box.items_.empty()) {
      task.waits(kWaits, &box, at, box.scheduler_.now());
      box.receivers_.push_back(task);
    }
    return {box};
  }
};

template <class T>
struct [[nodiscard]] Mailbox<T>::Collect {
  Mailbox& box;
  std::vector<T>& into;
  std::source_location at;

  struct Collected : std::suspend_always {
    Mailbox& box;
    std::vector<T>& into;
    Collected(Mailbox& from, std::vector<T>& to) : box{from}, into{to} {}
    void await_resume() {
      if (box.causes_) [[unlikely]]
        box.causes_->collected = box.causes_->came;
      while (!box.items_.empty()) box.take([this](T&& item) { into.push_back(std::move(item)); });
    }
  };
  [[nodiscard]] Collected suspend(detail::PromiseBase& task) const {
    task.waits(kWaits, &box, at, box.scheduler_.now());
    if (box.items_.empty()) {
      box.collectors_.push_back(task);
    } else {
      box.called_ = box.scheduler_.lates().count();
      box.scheduler_.late(task);
    }
    return {box, into};
  }
};

template <class T>
Mailbox<T>::~Mailbox() {
  if (in_flight_ > 0) {
    detail::drop_if(scheduler_, [this](const detail::TimedEvent& event) {
      return event.dispatch == &arrive && &static_cast<const Item&>(event).box == this;
    });
  }
  while (!items_.empty()) delete static_cast<Item*>(&items_.pop_front());
}

template <class T>
template <std::convertible_to<T> U>
void Mailbox<T>::post(Time at, U&& what) {
  if (at < scheduler_.now() || at == kForever) [[unlikely]]
    throw_internal("a post to mailbox " + name() + " is for now or later");
  auto& sent = *new Item{*this, std::forward<U>(what)};
  if (at == scheduler_.now() && scheduler_.plain() && !collectors_.empty()) {
    items_.push_back(sent);
    called_ = scheduler_.lates().count();
    return scheduler_.late(collectors_);
  }
  ++in_flight_;
  scheduler_.at(sent, at);
}

template <class T>
void Mailbox<T>::arrive(detail::TimedEvent& event, detail::Scheduler* scheduler) {
  auto& item = static_cast<Item&>(event);
  Mailbox& box = item.box;
  --box.in_flight_;
  if (scheduler == nullptr) {
    delete &item;
    return;
  }
  box.items_.push_back(item);
  if (scheduler->causes() != nullptr) [[unlikely]]
    box.note(scheduler->causes()->current());
  if (!box.receivers_.empty()) {
    auto& receiver = static_cast<detail::PromiseBase&>(box.receivers_.pop_front());
    return receiver.dispatch(receiver, scheduler);
  }
  scheduler->running().arrived(box.part_);
  if (box.service_) [[unlikely]]
    return box.service_.start(box.part_);
  if (!box.collectors_.empty()) box.called_ = scheduler->lates().count();
  detail::collect_soon(box.collectors_, *scheduler);
}

template <class T>
template <class Use>
auto Mailbox<T>::take(Use use) {
  const std::unique_ptr<Item> first{&static_cast<Item&>(items_.pop_front())};
  if (causes_) [[unlikely]]
    causes_->came.erase(causes_->came.begin());
  return use(std::move(first->value));
}

}  // namespace kbsim
