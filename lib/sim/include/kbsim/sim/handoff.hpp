#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/detail/wait.hpp"
#include "kbsim/sim/pool_queue.hpp"
#include "kbsim/sim/service.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// Items that one process takes within the events that bring them. hand() resumes the process that waits in
/// receive(), and returns when it waits again. Items that come while it runs or waits elsewhere are kept in
/// their order. No event; no allocation while each item finds the process waiting here.
template <class T>
class Handoff {
 public:
  struct Receive;

  /// `name` outlives it. `part`: the part of the machine that it belongs to.
  Handoff(Simulation& sim, const std::string& name, PartId part)
      : scheduler_{sim.scheduler()}, name_{name}, part_{part} {}
  Handoff(Simulation& sim, const std::string& name) : Handoff{sim, name, sim.scheduler().running().part()} {}
  Handoff(Simulation& sim, std::string&& name) = delete;
  Handoff(const Handoff&) = delete;
  Handoff& operator=(const Handoff&) = delete;

  /// To be called before the first item, which starts the service.
  void served_by(Service service) { service_ = service; }

  void hand(T item) {
    if (waiter_.empty() && !service_) [[unlikely]]
      return keep(std::move(item));
    handed_ = &item;
    detail::ProcessRecord* const caller = scheduler_.running().process();
    go_on();
    scheduler_.running().set(caller);
    if (handed_ != nullptr) [[unlikely]]
      keep(std::move(*std::exchange(handed_, nullptr)));
  }

  /// Waits for the next item; doesn't wait if one is there.
  [[nodiscard]] Receive receive(std::source_location at = std::source_location::current()) {
    return {.box = *this, .at = at};
  }

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  static constexpr detail::WaitKind kWaits = detail::kind_of_named<Handoff>("mailbox");

  [[nodiscard]] bool empty() const { return handed_ == nullptr && (kept_ == nullptr || kept_->empty()); }
  void go_on() {
    if (service_) [[unlikely]]
      return service_.start(part_);
    auto& waiter = static_cast<detail::PromiseBase&>(waiter_.pop_front());
    waiter.dispatch(waiter, &scheduler_);
  }
  [[gnu::cold]] void keep(T item) {
    if (kept_ == nullptr) kept_ = std::make_unique<PoolQueue<T>>();
    kept_->push_back(std::move(item));
  }
  T take() {
    if (kept_ == nullptr || kept_->empty()) return std::move(*std::exchange(handed_, nullptr));
    T first = std::move(kept_->front());
    kept_->pop_front();
    return first;
  }

  detail::Scheduler& scheduler_;
  const std::string& name_;
  detail::List waiter_;
  T* handed_ = nullptr;  // the item of the present call of hand(), until it is taken
  std::unique_ptr<PoolQueue<T>> kept_;
  Service service_;
  PartId part_;
};

template <class T>
struct [[nodiscard]] Handoff<T>::Receive {
  Handoff& box;
  std::source_location at;

  struct Received {
    Handoff& box;
    [[nodiscard]] bool await_ready() const { return !box.empty(); }
    static void await_suspend(std::coroutine_handle<>) noexcept {}
    T await_resume() { return box.take(); }
  };
  [[nodiscard]] Received suspend(detail::PromiseBase& task) const {
    if (box.empty()) {
      task.waits(kWaits, &box, at, box.scheduler_.now());
      box.waiter_.push_back(task);
    }
    return {box};
  }
};

}  // namespace kbsim
