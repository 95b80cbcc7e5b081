#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/event.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host {

/// An operation of a host program that has started: `co_await` is its completion and gives its result or
/// rethrows its error; keeping it meanwhile is async_op=True.
template <class T>
class [[nodiscard("co_await it, or keep it and co_await it later")]] Work {
 public:
  static Work start(Simulation& sim, std::string what, Task<T> task) {
    auto state = std::make_shared<State>(sim, what);
    (void)sim.spawn(std::move(what), run(state, std::move(task)));
    return Work{std::move(state)};
  }

  [[nodiscard]] bool done() const { return state_->done.is_set(); }

  auto operator co_await() const { return Awaiter{state_}; }

 private:
  struct State {
    State(Simulation& sim, std::string what) : done{sim, std::move(what)} {}
    Event done;
    std::exception_ptr error;
    std::optional<T> result;
  };
  explicit Work(std::shared_ptr<State> state) : state_{std::move(state)} {}

  static Task<> run(std::shared_ptr<State> state, Task<T> task) {
    try {
      T result = co_await std::move(task);
      state->result.emplace(std::move(result));
    } catch (...) {
      state->error = std::current_exception();
    }
    state->done.set();
  }

  using Wait = decltype(std::declval<Event&>().wait());
  class Awaiter {
   public:
    explicit Awaiter(std::shared_ptr<State> state) : state_{std::move(state)}, wait_{state_->done.wait()} {}
    bool await_ready() { return wait_.await_ready(); }
    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> waiting) {
      return wait_.await_suspend(waiting);
    }
    T await_resume() {
      wait_.await_resume();
      if (state_->error) std::rethrow_exception(state_->error);
      return *state_->result;
    }

   private:
    std::shared_ptr<State> state_;
    Wait wait_;
  };

  std::shared_ptr<State> state_;
};

}  // namespace kbsim::host
