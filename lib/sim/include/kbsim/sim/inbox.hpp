#pragma once

#include <coroutine>
#include <cstdint>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/sim/detail/collect_soon.hpp"
#include "kbsim/sim/detail/drop_events.hpp"
#include "kbsim/sim/detail/wait.hpp"
#include "kbsim/sim/service.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

template <class T>
class Inbox;

/// Makes an item postable, as its member `posted`. A copy of the item isn't posted, and an item that goes
/// away no longer is.
template <class T>
class Posted : detail::TimedEvent {
 public:
  Posted() : TimedEvent{&Inbox<T>::arrive} {}
  Posted(const Posted&) : Posted{} {}
  Posted& operator=(const Posted&) { return *this; }
  ~Posted() {
    if (linked()) unlink();
  }

 private:
  friend class Inbox<T>;
  Inbox<T>* box_ = nullptr;
  T* item_ = nullptr;
  bool here_ = false;
};

/// A mailbox with one consumer. Items stay with their owners, each in at most one inbox at a time: T has a
/// member `Posted<T> posted`. Posting copies and allocates nothing.
template <class T>
class Inbox {
 public:
  struct Collect;

  /// `name` outlives it.
  Inbox(Simulation& sim, const std::string& name)
      : scheduler_{sim.scheduler()}, name_{name}, part_{scheduler_.running().part()} {}
  Inbox(Simulation& sim, std::string&& name) = delete;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  ~Inbox();

  /// To be called before the first item: the service takes the items, if no process waits for them by then.
  void served_by(Service service) { service_ = service; }

  /// Never waits; `item` stays where it is until it is collected. Throws InternalError if `at` is before
  /// now() or never comes.
  void post(Time at, T& item) {
    if (at < scheduler_.now() || at == kForever) [[unlikely]]
      throw_internal("a post to inbox " + name() + " is for now or later");
    item.posted.box_ = this;
    item.posted.item_ = &item;
    if (at == scheduler_.now() && scheduler_.plain() && !collectors_.empty()) return come(item.posted);
    ++in_flight_;
    item.posted.here_ = false;
    scheduler_.at(item.posted, at);
  }

  /// The consumer waits, or would be started, and nothing is here.
  [[nodiscard]] bool awaited() const { return !collectors_.empty() || service_; }

  /// Nothing is here or on its way, and the consumer waits or would be started.
  [[nodiscard]] bool idle() const { return in_flight_ == 0 && items_.empty() && awaited(); }

  /// The consumer goes on in the batch of lates that is being run, and hasn't yet.
  [[nodiscard]] bool due() const {
    return !items_.empty() && collectors_.empty() && called_ != batch_called_in();
  }
  /// Only while a consumer is due(): the item arrives now, and is collected with those that are here.
  void join(T& item) {
    item.posted.box_ = this;
    item.posted.item_ = &item;
    item.posted.here_ = true;
    items_.push_back(item.posted);
  }

  /// Takes an item out that was posted here, whether it has arrived or not, unless it is collected.
  void withdraw(T& item) {
    item.posted.unlink();
    if (!item.posted.here_) --in_flight_;
  }

  /// Undoes withdraw(), which has just been called: the item arrives at `at` all the same.
  void put_back(Time at, T& item) {
    if (!item.posted.here_) return post(at, item);
    items_.push_back(item.posted);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The part of the machine that it belongs to.
  [[nodiscard]] PartId part() const { return part_; }

  /// Waits until at least one item is there, then for the late phase of that time, and appends all items
  /// that are there then, in the order of their posts (in any order if ties are shuffled).
  [[nodiscard]] Collect collect(std::vector<T*>& into,
                                std::source_location at = std::source_location::current()) {
    return {.box = *this, .into = into, .at = at};
  }

 private:
  friend class Posted<T>;
  static constexpr detail::WaitKind kWaits = detail::kind_of_named<Inbox>("mailbox");
  static void arrive(detail::TimedEvent& event, detail::Scheduler* scheduler);
  // The item is here. The waiting consumer collects it in the next late phase; no earlier event would see it.
  void come(Posted<T>& posted) {
    posted.here_ = true;
    items_.push_back(posted);
    called_ = batch_called_in();
    scheduler_.late(collectors_);
  }
  // A called consumer goes on in the next batch. 16 bits count the batches that are possible while one is
  // due.
  [[nodiscard]] std::uint16_t batch_called_in() const {
    return static_cast<std::uint16_t>(scheduler_.lates().count());
  }

  detail::Scheduler& scheduler_;
  detail::List items_;
  detail::List collectors_;
  const std::string& name_;
  Service service_;
  std::uint32_t in_flight_ = 0;  // including items that went away on their way
  PartId part_;
  std::uint16_t called_ = 0;  // batches that had begun when the consumer was called last
};

template <class T>
struct [[nodiscard]] Inbox<T>::Collect {
  Inbox& box;
  std::vector<T*>& into;
  std::source_location at;

  struct Collected : std::suspend_always {
    Inbox& box;
    std::vector<T*>& into;
    Collected(Inbox& from, std::vector<T*>& to) : box{from}, into{to} {}
    void await_resume() {
      while (!box.items_.empty()) into.push_back(static_cast<Posted<T>&>(box.items_.pop_front()).item_);
    }
  };
  [[nodiscard]] Collected suspend(detail::PromiseBase& task) const {
    task.waits(kWaits, &box, at, box.scheduler_.now());
    if (box.items_.empty()) {
      box.collectors_.push_back(task);
    } else {
      box.called_ = box.batch_called_in();
      box.scheduler_.late(task);
    }
    return {box, into};
  }
};

// Its items may outlive it; those on their way point to it.
template <class T>
Inbox<T>::~Inbox() {
  if (in_flight_ == 0) return;
  detail::drop_if(scheduler_, [this](const detail::TimedEvent& event) {
    return event.dispatch == &arrive && static_cast<const Posted<T>&>(event).box_ == this;
  });
}

template <class T>
void Inbox<T>::arrive(detail::TimedEvent& event, detail::Scheduler* scheduler) {
  if (scheduler == nullptr) return;  // its owner keeps it
  auto& posted = static_cast<Posted<T>&>(event);
  Inbox& box = *posted.box_;
  --box.in_flight_;
  posted.here_ = true;
  box.items_.push_back(posted);
  scheduler->running().arrived(box.part_);
  if (box.service_) [[unlikely]]
    return box.service_.start(box.part_);
  box.called_ = box.batch_called_in();
  detail::collect_soon(box.collectors_, *scheduler);
}

}  // namespace kbsim
