#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/host/call_watch.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/order_watch.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host {

/// An operation that a rank has begun: its process, and the wait for its end.
struct WorkId {
  std::string_view call;  // a literal: the host program's name for it
  std::uint64_t sequence = 0;
  int rank = 0;
  int group = 0;                           // the group's number; 0: the default group
  [[nodiscard]] std::string text() const;  // "all_reduce #0 of rank 1", "... in group 2"
  friend auto operator<=>(const WorkId&, const WorkId&) = default;
};

/// State of an operation that a host program has started.
struct WorkState {
  WorkState(Simulation& of, hw::OrderWatch& known_by, const WorkId& what, std::source_location where)
      : done{of, what}, sim{&of}, orders{&known_by}, at{where} {}

  Event done;
  Simulation* sim;
  hw::OrderWatch* orders;
  oplog::KnowledgePtr known;  // vector clock at its end
  std::source_location at;
  std::exception_ptr error;
  hw::ISpans* spans = nullptr;
  ICallWatch* calls = nullptr;
  bool awaited = false;
  Process process;
};

/// UsageError: the Work that is used was moved from.
[[noreturn]] void refuse_moved_work();

/// An operation of a host program that has started. Each `co_await` waits for its completion, and gives its
/// result or rethrows its error; keeping it meanwhile is async_op=True. A Work that is never awaited is a
/// fault when the program ends.
template <class T>
class [[nodiscard("co_await it, or keep it and co_await it later")]] Work {
 public:
  using Result = std::shared_ptr<std::optional<T>>;
  Work(std::shared_ptr<WorkState> state, Result result)
      : state_{std::move(state)}, result_{std::move(result)} {}
  Work(const Work&) = default;
  Work(Work&&) noexcept = default;
  Work& operator=(const Work&) = default;
  Work& operator=(Work&&) noexcept = default;
  [[gnu::noinline]] ~Work() = default;  // as in Awaiter: a host program has hundreds of Works

  [[nodiscard]] bool done() const { return alive().done.is_set(); }
  /// Its id for an ICallWatch.
  [[nodiscard]] const void* key() const { return state_.get(); }

  [[gnu::noinline]] auto operator co_await() const {
    alive().awaited = true;
    return Awaiter{state_, result_};
  }

 private:
  [[nodiscard]] WorkState& alive() const {
    if (!state_) refuse_moved_work();
    return *state_;
  }
  class Awaiter {
   public:
    Awaiter(std::shared_ptr<WorkState> state, Result result)
        : state_{std::move(state)}, result_{std::move(result)} {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    [[gnu::noinline]] ~Awaiter() = default;
    static bool await_ready() noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiting) {
      return !state_->done.wait(state_->at).suspend(waiting.promise()).goes_on;
    }
    [[gnu::noinline]] T await_resume() {
      if (state_->known) state_->orders->joins(state_->known);
      if (state_->calls != nullptr) state_->calls->awaited(state_.get());
      if (state_->error) std::rethrow_exception(state_->error);
      return **result_;
    }

   private:
    std::shared_ptr<WorkState> state_;
    Result result_;
  };

  std::shared_ptr<WorkState> state_;
  Result result_;
};

/// The operations that one host program has started, each a process of its own. Operations under way are
/// cancelled with it. Only the Works keep results.
class Works {
 public:
  Works(Simulation& sim, hw::OrderWatch& orders, const hw::Fabric& fabric)
      : sim_{sim}, orders_{orders}, fabric_{fabric} {}
  Works(const Works&) = delete;
  Works& operator=(const Works&) = delete;
  ~Works() { cancel(); }

  template <class T>
  Work<T> start(const WorkId& what, Task<T> task, std::source_location at) {
    std::erase_if(works_, [](const auto& work) { return work->awaited && work->done.is_set(); });
    const auto state = std::make_shared<WorkState>(sim_, orders_, what, at);
    const auto result = std::make_shared<std::optional<T>>();
    state->process = sim_.spawn(what.text(), run(state, result, std::move(task)), what);
    orders_.fork(state->process);
    works_.push_back(state);
    if (fabric_.spans() != nullptr) note(*state, what);
    if (calls_ != nullptr) {
      state->calls = calls_;
      calls_->begins(state.get(), what, state->process);
    }
    return {state, result};
  }

  /// An operation that takes no time: it is done, and need not be awaited.
  template <class T>
  Work<T> done(const WorkId& what, T result, std::source_location at) {
    const auto state = std::make_shared<WorkState>(sim_, orders_, what, at);
    state->done.set();
    return {state, std::make_shared<std::optional<T>>(std::move(result))};
  }

  /// Throws KernelFault for the first work that wasn't awaited, with the place of its call, and its error if
  /// it has failed.
  void require_awaited() const;
  void cancel();
  /// Sets the observer of calls from now on; null: none.
  void watch(ICallWatch* calls) { calls_ = calls; }

 private:
  template <class T>
  static Task<> run(std::shared_ptr<WorkState> state, typename Work<T>::Result result, Task<T> task) {
    try {
      T value = co_await std::move(task);
      result->emplace(std::move(value));
    } catch (...) {
      state->error = std::current_exception();
    }
    state->known = state->orders->ends();
    if (state->spans != nullptr) state->spans->close(state.get(), state->sim->now());
    if (state->calls != nullptr) state->calls->ends(state.get());
    state->done.set();
  }

  void note(WorkState& state, const WorkId& what) const;

  Simulation& sim_;
  hw::OrderWatch& orders_;
  const hw::Fabric& fabric_;
  ICallWatch* calls_ = nullptr;
  std::vector<std::shared_ptr<WorkState>> works_;
};

}  // namespace kbsim::host
