#pragma once

#include <coroutine>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/detail/named_wait.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// A condition that processes wait for. set() lets all waiters go, at the present time in the order of
/// their waits; while it is set nobody waits, until reset().
class Event {
 public:
  explicit Event(Simulation& sim) : Event{sim, "(unnamed)"} {}
  Event(Simulation& sim, std::string name) : scheduler_{sim.scheduler()}, name_{std::move(name)} {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void set() {
    set_ = true;
    scheduler_.ready(waiters_);
  }
  void reset() { set_ = false; }
  [[nodiscard]] bool is_set() const { return set_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  class [[nodiscard]] Wait final : public detail::NamedWait {
   public:
    Wait(Event& event, const std::source_location& at) : NamedWait{"event", event.name_, at}, event_{event} {}
    [[nodiscard]] bool await_ready() const { return event_.set_; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
      begin(waiter.promise(), event_.scheduler_.now());
      event_.waiters_.push_back(waiter.promise());
    }
    static void await_resume() noexcept {}

   private:
    Event& event_;
  };
  [[nodiscard]] Wait wait(const std::source_location& at = std::source_location::current()) {
    return {*this, at};
  }

 private:
  detail::Scheduler& scheduler_;
  std::string name_;
  bool set_ = false;
  detail::List waiters_;
};

}  // namespace kbsim
