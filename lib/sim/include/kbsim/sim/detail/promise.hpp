#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <source_location>
#include <string>

#include "kbsim/sim/detail/pool.hpp"
#include "kbsim/sim/detail/timed_event.hpp"
#include "kbsim/sim/detail/wait.hpp"

namespace kbsim::detail {

class PromiseBase;
class ProcessRecord;

/// Called when a task ends that no coroutine called directly; returns the coroutine that runs next.
class Completion {
 public:
  virtual std::coroutine_handle<> completed(PromiseBase& promise) noexcept = 0;

 protected:
  ~Completion() = default;
};

/// The successor of a task: its caller, which is resumed, or a Completion, which is called.
class After {
 public:
  void resume(std::coroutine_handle<> caller) { to_ = reinterpret_cast<std::uintptr_t>(caller.address()); }
  void completes(Completion& completion) {
    to_ = reinterpret_cast<std::uintptr_t>(&completion) | kCompletion;
  }
  [[nodiscard]] std::coroutine_handle<> next(PromiseBase& ended) const {
    if ((to_ & kCompletion) == 0) return std::coroutine_handle<>::from_address(reinterpret_cast<void*>(to_));
    return reinterpret_cast<Completion*>(to_ - kCompletion)->completed(ended);
  }

 private:
  static constexpr std::uintptr_t kCompletion = 1;
  std::uintptr_t to_ = 0;
};

/// Base of the promises of all tasks: the event in front, the caller, and the awaited thing.
class PromiseBase : public TimedEvent {
 public:
  using TimedEvent::TimedEvent;
  PromiseBase(const PromiseBase&) = delete;
  PromiseBase& operator=(const PromiseBase&) = delete;
  ~PromiseBase() = default;

  ProcessRecord* process = nullptr;
  Wait wait;  // valid while suspended
  After after;
  std::exception_ptr error;  // what the task threw

  void waits(const WaitKind& kind, void* of, const std::source_location& at, Time since) {
    wait.of = of;
    waits(kind, at, since);
  }
  /// For a kind that needs no `of`.
  void waits(const WaitKind& kind, const std::source_location& at, Time since) {
    wait.kind = &kind;
    wait.at = at;
    wait.since = since;
  }

  static void* operator new(std::size_t size) { return Pool::allocate(size); }
  static void operator delete(void* frame, std::size_t size) { Pool::free(frame, size); }

  struct Final {
    static bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
      PromiseBase& promise = ended.promise();
      return promise.after.next(promise);
    }
    static void await_resume() noexcept {}
  };
  static std::suspend_always initial_suspend() noexcept { return {}; }
  static Final final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }

 protected:
  /// Resumes a task; for every promise whose alignment is at most a frame's.
  static void resume(TimedEvent& event, Scheduler* scheduler);

 private:
  friend class Scheduler;
  void go_on(Scheduler& scheduler);
};

template <class Thing>
std::string name_of(const WaitKind& kind, const void* of, const TimedEvent& waiter) {
  return std::string{kind.text} + " " +
         (waiter.linked() ? static_cast<const Thing*>(of)->name() : "(destroyed meanwhile)");
}

}  // namespace kbsim::detail
