#pragma once

#include <cstddef>
#include <memory>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/detail/wait.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// A condition that processes wait for. set() lets all waiters go, at the present time in the order of their
/// waits; until reset() no process waits. Reports call it by its name, or by the text of its identity.
class Event {
 public:
  explicit Event(Simulation& sim) : Event{sim, "(unnamed)"} {}
  /// The name is a literal, or another text that lives as long.
  template <std::size_t N>
  Event(Simulation& sim, const char (&name)[N]) : scheduler_{sim.scheduler()}, literal_{name} {}
  /// The name is in a buffer, which may be reused.
  template <std::size_t N>
  Event(Simulation& sim, char (&name)[N]) : Event{sim, std::string{name}} {}
  Event(Simulation& sim, std::string name)
      : scheduler_{sim.scheduler()}, name_{std::make_unique<const std::string>(std::move(name))} {}
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
  [[nodiscard]] std::string name() const {
    if (id_) return id_.text();
    return name_ != nullptr ? *name_ : literal_;
  }
  [[nodiscard]] const Identity& id() const { return id_; }

  struct [[nodiscard]] Wait {
    Event& event;
    std::source_location at;

    [[nodiscard]] detail::Suspension suspend(detail::PromiseBase& task) const {
      detail::Scheduler& scheduler = event.scheduler_;
      if (event.set_) {
        if (scheduler.causes() != nullptr) [[unlikely]]
          scheduler.causes()->found_met(&event);
        return {.goes_on = true};
      }
      task.waits(kWaits, &event, at, scheduler.now());
      scheduler.waits(task);
      event.waiters_.push_back(task);
      return {};
    }
  };
  [[nodiscard]] Wait wait(std::source_location at = std::source_location::current()) {
    return {.event = *this, .at = at};
  }

 private:
  static Identity awaited(const void* of, const detail::TimedEvent& waiter) {
    return waiter.linked() ? static_cast<const Event*>(of)->id_ : Identity{};
  }
  static constexpr detail::WaitKind kWaits{
      .text = "event", .what = &detail::name_of<Event>, .awaits = &awaited, .in_list = true};

  detail::Scheduler& scheduler_;
  const char* literal_ = "";                 // its name, if it has no identity,
  std::unique_ptr<const std::string> name_;  // or this
  Identity id_;
  bool set_ = false;
  detail::List waiters_;
};

}  // namespace kbsim
