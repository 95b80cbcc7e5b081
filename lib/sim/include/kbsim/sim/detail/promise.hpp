#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>

#include "kbsim/sim/detail/pool.hpp"
#include "kbsim/sim/detail/scheduler.hpp"
#include "kbsim/sim/detail/timed_event.hpp"
#include "kbsim/sim/detail/wait.hpp"

namespace kbsim::detail {

class PromiseBase;

/// Told when a task that no coroutine has called directly ends; says who runs next.
class Completion {
 public:
  virtual std::coroutine_handle<> completed(PromiseBase& promise) noexcept = 0;

 protected:
  ~Completion() = default;
};

/// What the promises of all tasks share: the event in front, the caller, and what is awaited.
class PromiseBase : public TimedEvent {
 public:
  using TimedEvent::TimedEvent;
  PromiseBase(const PromiseBase&) = delete;
  PromiseBase& operator=(const PromiseBase&) = delete;
  ~PromiseBase() {
    if (linked()) unlink();
  }

  ProcessRecord* process = nullptr;
  Wait* wait = nullptr;              // valid while suspended; null before the first wait
  std::coroutine_handle<> caller;    // resumed when the task ends
  Completion* completion = nullptr;  // told instead, if there is no caller
  std::exception_ptr error;          // what the task threw

  static void* operator new(std::size_t size) { return Pool::allocate(size); }
  static void operator delete(void* frame, std::size_t size) { Pool::free(frame, size); }

  struct Final {
    static bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
      PromiseBase& promise = ended.promise();
      return promise.caller ? promise.caller : promise.completion->completed(promise);
    }
    static void await_resume() noexcept {}
  };
  static std::suspend_always initial_suspend() noexcept { return {}; }
  static Final final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }

 protected:
  template <class Promise>
  static void resume(TimedEvent& event, Scheduler* scheduler) {
    if (scheduler == nullptr) return;  // frames belong to their processes
    auto& promise = static_cast<Promise&>(event);
    scheduler->running(promise.process);
    std::coroutine_handle<Promise>::from_promise(promise).resume();
  }
};

inline void Wait::begin(PromiseBase& promise, Time now) {
  since_ = now;
  promise.wait = this;
}

}  // namespace kbsim::detail
