#pragma once

#include <cstddef>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/detail/wait.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// Places that processes hold: take() waits while none is free, and give() hands the place to the first that
/// waits, which resumes at the present time, or frees it. Waiters are served in the order of their waits. A
/// place handed to a waiter is the waiter's, even if that is cancelled before it resumes.
class Semaphore {
 public:
  Semaphore(Simulation& sim, std::string name, std::size_t places)
      : scheduler_{sim.scheduler()}, free_{places}, name_{std::move(name)} {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  struct [[nodiscard]] Take {
    Semaphore& semaphore;
    std::source_location at;

    [[nodiscard]] detail::Suspension suspend(detail::PromiseBase& task) const {
      if (semaphore.try_take()) return {.goes_on = true};
      task.waits(kWaits, &semaphore, at, semaphore.scheduler_.now());
      semaphore.waiting_.push_back(task);
      return {};
    }
  };
  [[nodiscard]] Take take(std::source_location at = std::source_location::current()) {
    return {.semaphore = *this, .at = at};
  }
  /// False if take() would wait.
  [[nodiscard]] bool try_take() {
    if (free_ == 0) return false;
    --free_;
    return true;
  }
  void give() {
    if (waiting_.empty()) {
      ++free_;
    } else {
      scheduler_.ready(static_cast<detail::TimedEvent&>(waiting_.pop_front()));
    }
  }

  [[nodiscard]] std::size_t free() const { return free_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  static constexpr detail::WaitKind kWaits = detail::kind_of_named<Semaphore>("semaphore");

  detail::Scheduler& scheduler_;
  detail::List waiting_;  // only while none is free
  std::size_t free_;
  std::string name_;
};

}  // namespace kbsim
