#include "watched_simulation.hpp"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "kbsim/base/role.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/evaluate/parallel_bound_study.hpp"
#include "kbsim/host/pointer_dump.hpp"
#include "kbsim/report/deadlock_report.hpp"

#include "explain_run.hpp"
#include "report_results.hpp"
#include "standing_line.hpp"

namespace kbsim::app {
namespace {

// Races may be the reason of a failure. With --race error the error names them.
void print_races_so_far(const ReadyRun& run) {
  if (run.options.watch.race != oplog::RaceMode::error)
    print_races(run.session.machine().races().reports(run.session.sim().now()));
}

void write_deadlock(const ReadyRun& run, const DeadlockReport& deadlock) {
  try {
    if (run.folder != nullptr) report::write_deadlock(*run.folder, &deadlock);
  } catch (const Error& error) {  // the deadlock matters more
    say("kbsim: {}\n", error.what());
  }
}

void simulate(const ReadyRun& run) {
  try {
    run.session.simulate();
  } catch (const DeadlockReport& deadlock) {
    print_races_so_far(run);
    write_deadlock(run, deadlock);
    throw;
  } catch (...) {
    print_races_so_far(run);
    throw;
  }
}

void dump_queues(const ReadyRun& run) {
  if (!run.options.watch.dump_queues) return;
  const std::string lines = host::pointer_dump(run.session.machine());
  say(lines.empty() ? "--dump-queues: no queues between PEs are installed\n" : lines);
}

// The trace is written however the simulation ends.
void simulate_and_trace(const ReadyRun& run) {
  const auto& [inputs, outputs, watch] = run.options;
  const StandingLine progress{{.shown = shows_progress(outputs), .start = watch.start}};
  try {
    run.trace.during(run.session.machine(), "kbsim " + inputs.bench, [&] { simulate(run); });
  } catch (const Error&) {
    dump_queues(run);
    throw;
  }
  dump_queues(run);
}

// Explains the run up to now, if a limit or a signal ended it.
void explain_until_now(const ReadyRun& run, const explain::OpMarks& marks, const Error& error) {
  if (error.exit_code() != ExitCode::limit && error.exit_code() != ExitCode::interrupted) return;
  const std::string now = to_string(run.session.sim().now());
  try {
    const Explanations what = explanations_of(run.session, {}, marks);
    const std::string text = without_roles(answer_of(what) + rest_of(what));  // stderr's
    say("--explain: the run hasn't ended; until {}{}\n{}", now,
        text.empty() ? " no launch had that could be explained" : ":", text);
  } catch (const Error& why) {  // the reason of the end matters more
    say("--explain: the run hasn't ended; until {}: {}\n", now, why.what());
  }
}

void say_bound(const ReadyRun& run, hw::ParallelBound* bound) {
  if (bound != nullptr) say(evaluate::to_text(*bound, run.session.sim().events()));
}

void require_submitted(const ReadyRun& run) {
  if (run.session.machine().fabric().attribution().messages > 0) return;
  throw KernelFault{fmt::format("bench {} submitted nothing: no message went through the machine",
                                run.options.inputs.bench)};
}

}  // namespace

void simulate_watched(const ReadyRun& run, const explain::OpMarks& marks) {
  const auto bound = run.options.watch.parallel_bound ? evaluate::watch_parallel_bound(run.session) : nullptr;
  try {
    simulate_and_trace(run);
  } catch (const Error& error) {
    say_bound(run, bound.get());
    if (run.options.watch.explain) explain_until_now(run, marks, error);
    if (error.exit_code() == ExitCode::interrupted) write_partial_results(run);
    throw;
  }
  require_submitted(run);
  say_bound(run, bound.get());
}

}  // namespace kbsim::app
