#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include "kbsim/base/error.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/sim/detail/scheduler.hpp"
#include "kbsim/sim/detail/timer.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim {

struct SimulationOptions {
  std::optional<std::uint64_t> shuffle_ties;  // seed: events of one phase run in random order
  Time stop_at = kForever;                    // the last time whose events may run
  std::uint64_t max_events = UINT64_MAX;
  std::uint64_t max_events_at_one_time = 10'000'000;  // then turns are counted: does time stand still?
  std::uint64_t max_turns_at_one_time =
      10'000;  // time stands still after this number of turns of all waiting events
  // Events between looks. A look notes the process that ran, and now and then checks the memory.
  std::uint64_t look_every = 1021;
  bool causes = false;  // keep causes: see Simulation::causes()
  Causes::Options why = {};
};

namespace detail {
struct WindowProcess;
}  // namespace detail

/// Simulated time and the processes that live in it. Events of one time run in two phases: arrivals in
/// schedule order until there are none, then, late, the deciders that are queued by then; and so on.
/// It may go away before or after what its processes wait for.
class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] Time now() const { return scheduler_.now(); }
  [[nodiscard]] std::uint64_t events() const { return scheduler_.budget().events(); }

  /// Starts work that must end, at the present time in schedule order. run() throws its exception as a
  /// ProcessError, unless a process has joined it by then. Reports print `name`; code recognises the process
  /// by `id`. UsageError with the line for an empty task.
  Process spawn(std::string name, Task<> task, const Identity& id = {},
                const std::source_location& at = std::source_location::current());
  /// Starts a component: it may wait for ever, and never counts as deadlocked. The same UsageError.
  Process serve(std::string name, Task<> task,
                const std::source_location& at = std::source_location::current());
  /// The same, at once, for a part of the machine. To be the last action of an event that belongs to no
  /// process. See Service.
  void serve_now(std::string name, Task<> task, PartId part);
  /// The process that runs just now, if any does.
  [[nodiscard]] Process running() const {
    detail::ProcessRecord* const record = scheduler_.running().process();
    return record != nullptr ? Process{*record} : Process{};
  }

  /// Objects that are made from now on, outside of events, belong to this part.
  void build(PartId part) { scheduler_.running().build(part); }
  /// From the next run() on; null: no watch. It must outlive that run.
  void watch(EventWatch* watch) { scheduler_.watch(watch); }

  /// Waits for `d`, counted from this call. With d = 0 the other events that are queued for this time go
  /// first, as with a delay that is awaited after its end. An end beyond Time never comes. Throws UsageError
  /// if d < 0.
  [[nodiscard]] detail::Delay delay(Time d, std::source_location at = std::source_location::current()) {
    return {.scheduler = scheduler_, .end = after(d, at), .at = at};
  }
  /// Waits until `t`; doesn't wait if t <= now().
  [[nodiscard]] detail::Until until(Time t, std::source_location at = std::source_location::current()) {
    return {.scheduler = scheduler_, .end = t, .at = at};
  }
  /// Waits for the late phase of the present time, in which decisions that depend on all arrivals are made.
  [[nodiscard]] detail::LateWait late(const std::source_location& at = std::source_location::current()) {
    return {.scheduler = scheduler_, .at = at};
  }

  /// Runs until nothing is left to do. Throws ProcessError, DeadlockError, LimitError (of time, of events, or
  /// of the process's memory), or KernelFault if time stands still.
  void run();

  /// Destroys all processes, newest first, where they wait; resumes none.
  void clear();

  /// now() + d, kForever if that is beyond Time. Throws UsageError if d < 0.
  [[nodiscard]] Time after(Time d, std::source_location at = std::source_location::current()) const {
    const auto end = static_cast<std::uint64_t>(now().count()) + static_cast<std::uint64_t>(d.count());
    if (static_cast<std::int64_t>(end) < now().count()) [[unlikely]]
      return beyond(d, at);
    return Time{static_cast<std::int64_t>(end)};
  }

  /// Why things happen when they do; null unless SimulationOptions asks for it.
  [[nodiscard]] Causes* causes() const { return scheduler_.causes(); }

  /// For the room's own use.
  [[nodiscard]] detail::Scheduler& scheduler() { return scheduler_; }
  [[nodiscard]] std::shared_ptr<void>& context() { return context_; }

 private:
  friend class detail::ProcessRecord;
  friend struct detail::WindowProcess;

  detail::ProcessRecord& add(std::string name, const Identity& id, Task<> task, bool service);
  static Time beyond(Time d, std::source_location at);
  void check(detail::Scheduler::Stop stop);
  void look();
  [[nodiscard]] std::string busiest() const;
  [[noreturn]] void rethrow_failure();

  struct Failure {
    std::string process;
    Time at;
    std::exception_ptr error;
  };

  detail::Scheduler scheduler_;
  detail::List processes_;        // the living, in the order of their start
  std::uint64_t unfinished_ = 0;  // spawned ones among them
  std::optional<Failure> failure_;
  std::uint64_t look_every_;
  std::uint64_t looks_ = 0;
  bool is_running_ = false;
  std::shared_ptr<void> context_;  // Asio's, made by executor.hpp
};

}  // namespace kbsim
