#include "kbsim/sim/simulation.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/process_memory.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/detail/drop_events.hpp"

#include "waiting_text.hpp"
#include "watched_run.hpp"

namespace kbsim {

using Stop = detail::Scheduler::Stop;

namespace {

const WorkKind kArrivals{"arrivals in mailboxes"};
const WorkKind kHostPrograms{"host programs"};

// Events that belong to no process bring items.
std::uint8_t work_of_running(const void* scheduler) {
  const detail::ProcessRecord* const running =
      static_cast<const detail::Scheduler*>(scheduler)->running().process();
  return running != nullptr ? running->work : kArrivals.number();
}

// The kind of the scope, or else of the process that starts it.
std::uint8_t work_of_new(const detail::Scheduler& scheduler) {
  if (!self_profile::is_on()) return 0;
  if (const std::uint8_t scope = self_profile::scope; scope != 0) return scope;
  const detail::ProcessRecord* const running = scheduler.running().process();
  return running != nullptr ? running->work : kHostPrograms.number();
}

void require_unstopped(const Simulation& sim) {
  if (stop_signal() == 0) return;
  throw Interrupted{"interrupted; simulated time stands at " + to_string(sim.now()) + ", after " +
                    counted(sim.events(), "event")};
}

void require_task(const std::string& process, const Task<>& task, const std::source_location& at) {
  if (task) return;
  throw UsageError{to_string(to_place(at)) + ": process " + process +
                   " has an empty task: it was awaited or moved before, or its function returned none"};
}

}  // namespace

Simulation::Simulation(const SimulationOptions& options)
    : scheduler_{{.stop_at = options.stop_at,
                  .max_events = options.max_events,
                  .max_events_at_one_time = options.max_events_at_one_time,
                  .max_turns_at_one_time = options.max_turns_at_one_time},
                 options.shuffle_ties},
      look_every_{std::max<std::uint64_t>(options.look_every, 1)} {
  if (options.causes) scheduler_.keep_causes(options.why);
  (void)memory_limit();  // looked up here, if it isn't set
}

Simulation::~Simulation() {
  clear();
  while (detail::drop_if(scheduler_, [](const detail::TimedEvent&) { return true; })) {}
  context_.reset();
}

void Simulation::clear() {
  while (!processes_.empty()) {
    auto& newest = static_cast<detail::ProcessRecord&>(processes_.back());
    while (!newest.joiners.empty()) newest.joiners.pop_front();
    newest.cancel();
  }
}

Process Simulation::spawn(std::string name, Task<> task, const Identity& id, const std::source_location& at) {
  require_task(name, task, at);
  detail::ProcessRecord& record = add(std::move(name), id, std::move(task), false);
  ++unfinished_;
  scheduler_.ready(record.task.coroutine().promise());
  return Process{record};
}

Process Simulation::serve(std::string name, Task<> task, const std::source_location& at) {
  require_task(name, task, at);
  detail::ProcessRecord& record = add(std::move(name), {}, std::move(task), true);
  scheduler_.ready(record.task.coroutine().promise());
  return Process{record};
}

void Simulation::serve_now(std::string name, Task<> task, PartId part) {
  detail::ProcessRecord& record = add(std::move(name), {}, std::move(task), true);
  record.part = part;
  detail::PromiseBase& promise = record.task.coroutine().promise();
  promise.dispatch(promise, &scheduler_);
}

detail::ProcessRecord& Simulation::add(std::string name, const Identity& id, Task<> task, bool service) {
  ensure(static_cast<bool>(task), "a process has a task");
  auto* const record = new detail::ProcessRecord{*this, std::move(name), id, std::move(task), service};
  record->work = work_of_new(scheduler_);
  processes_.push_back(*record);
  return *record;
}

Time Simulation::beyond(Time d, std::source_location at) {
  if (d >= Time::zero()) return kForever;
  throw UsageError{to_string(to_place(at)) + ": a delay can't be negative, got " + to_string(d)};
}

void Simulation::run() {
  ensure(!is_running_, "run() isn't called by an event of its own");
  struct Running {
    Simulation& sim;
    ~Running() { sim.is_running_ = false, sim.scheduler_.running().set(nullptr); }
  };
  is_running_ = true;
  const Running running{*this};
  const RunningWork work{{.read = work_of_running, .of = &scheduler_}};
  const WatchedRun watched{detail::reader_of(scheduler_)};
  scheduler_.budget().forget_interrupt();
  for (;;) {
    require_unstopped(*this);
    scheduler_.budget().look_after(look_every_);
    const Stop stop = scheduler_.run();
    if (stop != Stop::look) return check(stop);
    look();
  }
}

void Simulation::look() {
  constexpr std::uint64_t kLooksAtMemory = 64;  // a look is cheap, this isn't
  report_simulated(now(), events());
  if (detail::ProcessRecord* const process = scheduler_.running().process()) ++process->seen;
  if (++looks_ % kLooksAtMemory != 0) return;
  const Bytes held = resident_memory();
  if (held <= memory_limit()) return;
  throw LimitError{"stopped at " + to_string(now()) + " after " + counted(events(), "event") +
                       ": kbsim holds " + about(held) + " of memory, the limit is " + about(memory_limit()) +
                       " (--max-memory)",
                   detail::waiting_among(processes_), busiest()};
}

std::string Simulation::busiest() const {
  std::vector<const detail::ProcessRecord*> seen;
  processes_.for_each([&](const detail::Link& link) {
    const auto& process = static_cast<const detail::ProcessRecord&>(link);
    if (process.seen > 0) seen.push_back(&process);
  });
  const auto more = [](const auto* a, const auto* b) {
    return std::tie(b->seen, a->name) < std::tie(a->seen, b->name);
  };
  std::ranges::sort(seen, more);
  constexpr std::size_t kShown = 8;
  std::string text = seen.empty() ? "" : "\nbusiest:";
  for (const detail::ProcessRecord* one : std::span{seen}.first(std::min(kShown, seen.size())))
    text += "\n  " + one->name + " ran in " + std::to_string(one->seen) + " of " + std::to_string(looks_) +
            " looks";
  return text;
}

void Simulation::check(Stop stop) {
  if (failure_) rethrow_failure();
  const detail::EventBudget::Limits& limits = scheduler_.budget().limits();
  if (stop == Stop::max_events) {
    throw LimitError{"stopped at " + to_string(now()) + " after " + counted(events(), "event") +
                         ", the limit that was set",
                     detail::waiting_among(processes_), busiest()};
  }
  if (stop == Stop::stop_at) {
    throw LimitError{"stopped at " + to_string(limits.stop_at) + ", the limit that was set",
                     detail::waiting_among(processes_), busiest()};
  }
  if (stop == Stop::one_time) {
    const detail::ProcessRecord* const last = scheduler_.running().process();
    throw KernelFault{"time stands still at " + to_string(now()) + ": " +
                      std::to_string(limits.max_events_at_one_time) +
                      " events and more that wait for no time to pass" +
                      (last != nullptr ? ", the last of process " + last->name : std::string{})};
  }
  if (unfinished_ > 0) throw DeadlockError{now(), detail::waiting_among(processes_)};
}

void Simulation::rethrow_failure() {
  const Failure failed = *std::exchange(failure_, std::nullopt);
  try {
    std::rethrow_exception(failed.error);
  } catch (const Error& error) {
    std::throw_with_nested(ProcessError{error.exit_code(), failed.process, failed.at, error.what()});
  } catch (const std::bad_alloc&) {
    std::throw_with_nested(ProcessError{ExitCode::limit, failed.process, failed.at, "out of memory"});
  } catch (const std::exception& error) {
    std::throw_with_nested(ProcessError{ExitCode::internal, failed.process, failed.at, error.what()});
  } catch (...) {
    std::throw_with_nested(ProcessError{ExitCode::internal, failed.process, failed.at, "unknown exception"});
  }
}

}  // namespace kbsim
