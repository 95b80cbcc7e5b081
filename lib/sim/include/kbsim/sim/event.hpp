#pragma once

#include <coroutine>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/detail/named_wait.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// A condition that processes wait for. set() lets all waiters go, at the present time in the order of
/// their waits; while it is set nobody waits, until reset(). Reports call it by its name, or by the text of
/// its identity.
class Event {
 public:
  explicit Event(Simulation& sim) : Event{sim, "(unnamed)"} {}
  Event(Simulation& sim, std::string name) : scheduler_{sim.scheduler()}, name_{std::move(name)} {}
  Event(Simulation& sim, const Identity& id) : scheduler_{sim.scheduler()}, id_{id} {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void set() {
    set_ = true;
    if (scheduler_.causes() != nullptr) [[unlikely]]
      scheduler_.causes()->met(this);
    scheduler_.ready(waiters_);
  }
  void reset() { set_ = false; }
  [[nodiscard]] bool is_set() const { return set_; }
  [[nodiscard]] std::string name() const { return id_ ? id_.text() : name_; }
  [[nodiscard]] const Identity& id() const { return id_; }

  class [[nodiscard]] Wait final : public detail::NamedWait {
   public:
    Wait(Event& event, const std::source_location& at) : NamedWait{at}, event_{event} {}
    [[nodiscard]] bool await_ready() const {
      if (event_.set_ && event_.scheduler_.causes() != nullptr) [[unlikely]]
        event_.scheduler_.causes()->found_met(&event_);
      return event_.set_;
    }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
      begin(waiter.promise(), event_.scheduler_.now());
      event_.scheduler_.waits(waiter.promise());
      event_.waiters_.push_back(waiter.promise());
    }
    static void await_resume() noexcept {}
    [[nodiscard]] Identity awaits(const detail::TimedEvent& waiter) const override {
      return waiter.linked() ? event_.id_ : Identity{};
    }

   private:
    [[nodiscard]] const char* kind() const override { return "event"; }
    [[nodiscard]] std::string name() const override { return event_.name(); }
    Event& event_;
  };
  [[nodiscard]] Wait wait(const std::source_location& at = std::source_location::current()) {
    return {*this, at};
  }

 private:
  detail::Scheduler& scheduler_;
  std::string name_;
  Identity id_;
  bool set_ = false;
  detail::List waiters_;
};

}  // namespace kbsim
