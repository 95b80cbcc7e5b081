#pragma once

#include <coroutine>
#include <cstddef>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/detail/named_wait.hpp"
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

  class [[nodiscard]] Take final : public detail::NamedWait {
   public:
    Take(Semaphore& semaphore, const std::source_location& at) : NamedWait{at}, semaphore_{semaphore} {}
    bool await_ready() { return semaphore_.try_take(); }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
      begin(waiter.promise(), semaphore_.scheduler_.now());
      semaphore_.waiting_.push_back(waiter.promise());
    }
    static void await_resume() noexcept {}

   private:
    [[nodiscard]] const char* kind() const override { return "semaphore"; }
    [[nodiscard]] std::string name() const override { return semaphore_.name_; }
    Semaphore& semaphore_;
  };
  [[nodiscard]] Take take(const std::source_location& at = std::source_location::current()) {
    return {*this, at};
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
  detail::Scheduler& scheduler_;
  detail::List waiting_;  // only while none is free
  std::size_t free_;
  std::string name_;
};

}  // namespace kbsim
