#pragma once

#include <coroutine>
#include <cstddef>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/detail/process_record.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim::detail {

/// Waiting for tasks that run side by side within one process. Each is started by an event of its own at the
/// present time, one after the other: they keep their order if events of one time are shuffled. Tasks that
/// haven't ended when the waiter goes on are cancelled.
template <class T>
class Together : public Completion {
 public:
  Together(std::vector<Task<T>>&& tasks, const std::source_location& at) : tasks_{std::move(tasks)}, at_{at} {
    for (const Task<T>& task : tasks_) {
      if (!task) refuse_empty_task(at);
    }
  }

  [[nodiscard]] bool await_ready() const { return tasks_.empty(); }
  template <class Caller>
  void await_suspend(std::coroutine_handle<Caller> caller) {
    caller_ = caller;
    start(caller.promise());
  }

 protected:
  ~Together() = default;

  std::vector<Task<T>> tasks_;
  std::coroutine_handle<> caller_;

 private:
  struct Starter : TimedEvent {
    explicit Starter(std::vector<Task<T>>& all) : TimedEvent{&run}, tasks{all} {}
    Starter(const Starter&) = delete;
    Starter& operator=(const Starter&) = delete;
    ~Starter() {
      if (linked()) unlink();
    }
    // The task may destroy this object.
    static void run(TimedEvent& event, Scheduler* scheduler) {
      if (scheduler == nullptr) return;
      auto& self = static_cast<Starter&>(event);
      PromiseBase& promise = self.tasks[self.next++].coroutine().promise();
      if (self.next < self.tasks.size()) scheduler->ready(self);
      promise.dispatch(promise, scheduler);
    }
    std::vector<Task<T>>& tasks;
    std::size_t next = 0;
  };

  void start(PromiseBase& caller) {
    Scheduler& scheduler = caller.process->simulation->scheduler();
    caller.waits(kTasks, this, at_, scheduler.now());
    for (const Task<T>& task : tasks_) {
      PromiseBase& promise = task.coroutine().promise();
      promise.process = caller.process;
      promise.after.completes(*this);
    }
    scheduler.ready(starter_);
  }

  static const PromiseBase* inner(const void* of) {
    for (const Task<T>& task : static_cast<const Together*>(of)->tasks_) {
      if (!task.coroutine().done()) return &task.coroutine().promise();
    }
    return nullptr;
  }
  static constexpr WaitKind kTasks{
      .text = "tasks",
      .what = [](const WaitKind& kind, const void*, const TimedEvent&) { return std::string{kind.text}; },
      .inner = &inner};

  Starter starter_{tasks_};
  std::source_location at_;
};

}  // namespace kbsim::detail
