// A run of one bench, from its first event to its report.
#include "simulate_run.hpp"

#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/evaluate/parallel_bound.hpp"
#include "kbsim/host/pointer_dump.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/replay/checks.hpp"
#include "kbsim/replay/prints.hpp"
#include "kbsim/report/deadlock.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/run_summary.hpp"
#include "kbsim/report/use.hpp"
#include "kbsim/signals/stop_signals.hpp"

#include "chakra_recorder.hpp"
#include "device_option.hpp"
#include "explain_run.hpp"
#include "kept_run.hpp"
#include "report_page.hpp"
#include "run_results.hpp"
#include "run_words.hpp"
#include "standing_line.hpp"
#include "sweep_point.hpp"

namespace kbsim::app {
namespace {

// Also reports the races of a run that fails: they may be the reason. With --race error the error names them.
void simulate(host::Session& session, const RunOptions& options) {
  try {
    session.simulate();
  } catch (...) {
    if (options.race != oplog::RaceMode::error)
      print_races(session.machine().races().reports(session.sim().now()));
    throw;
  }
}

void dump_queues(hw::Machine& machine) {
  const std::string lines = host::pointer_dump(machine);
  say(lines.empty() ? "--dump-queues: no queues between PEs are installed\n" : lines);
}

// The folder of a deadlocked run gets the reason.
void simulate_into(const report::OutputFolder* folder, host::Session& session, const RunOptions& options) {
  try {
    simulate(session, options);
  } catch (const DeadlockReport& deadlock) {
    try {
      if (folder != nullptr) report::write_deadlock(*folder, &deadlock);
    } catch (const Error& error) {  // the deadlock matters more
      say("kbsim: {}\n", error.what());
    }
    throw;
  }
}

// The trace is written however the simulation ends.
void simulate_and_trace(const report::OutputFolder* folder, host::Session& session, const RunOptions& options,
                        report::RunTrace& trace) {
  trace.during(session.machine(), "kbsim " + options.bench, [&] { simulate_into(folder, session, options); });
}

void simulate_and_dump(const report::OutputFolder* folder, host::Session& session, const RunOptions& options,
                       report::RunTrace& trace) {
  try {
    simulate_and_trace(folder, session, options, trace);
  } catch (const Error&) {
    if (options.dump_queues) dump_queues(session.machine());
    throw;
  }
  if (options.dump_queues) dump_queues(session.machine());
}

// The program that runs: the bench itself, or its copies for --device.
Task<> program_of(host::Rank& main, const Bench& bench, const std::vector<int>& devices, BenchRequest request,
                  BenchReport* report) {
  const bool copies = !devices.empty() && bench.devices == Devices::current;
  return copies ? run_on(main, devices, &bench, request, report) : bench.run(main, request, report);
}

// Refuses a host program that sends nothing to the machine: it has measured nothing.
void require_submitted(const std::string& bench, host::Session& session) {
  if (session.machine().fabric().attribution().messages > 0) return;
  throw KernelFault{fmt::format("bench {} submitted nothing: no message went through the machine", bench)};
}

report::RunSummary summary_of(host::Session& session, std::chrono::steady_clock::time_point start) {
  return {.simulated = session.sim().now(),
          .events = session.machine().events(),
          .digest = session.machine().digest(),
          .wall = std::chrono::steady_clock::now() - start,
          .peak_memory = report::peak_memory(),
          .resident = session.resident(),
          .race_memory = session.machine().races().memory()};
}

// A point of a sweep shows no progress.
StandingLine::How progress_of(const RunOptions& options, std::chrono::steady_clock::time_point start) {
  return {.shown = !options.quiet && options.kept == nullptr, .start = start};
}

std::optional<LogChecksums> computed(host::Session& session, const RunOptions& options,
                                     std::chrono::steady_clock::time_point start) {
  const StandingLine progress{progress_of(options, start)};
  for (const std::string& line : replay::prints(session.log(), session.replay())) say("{}\n", line);
  print_races(session.machine().races().reports());
  std::optional<LogChecksums> log = log_of(options, session);
  replay::check(session.log(), session.replay());
  return log;
}

// Exit code 7 always comes with a text about what is wrong.
void say_wrong(const RunOptions& options, const BenchReport& report) {
  if (report.correct) return;
  say("kbsim: {}: values are wrong: {}\n", options.bench,
      report.wrong.empty() ? "the bench doesn't say which (BenchReport::wrong)" : report.wrong);
}

// Writes and prints the results after the simulation.
ExitCode finish(const report::OutputFolder* folder, host::Session& session, const Results& outcome,
                const RunOptions& options, const Arguments& arguments,
                std::chrono::steady_clock::time_point start) {
  self_profile::phase(WorkKind{"report"});
  const std::optional<LogChecksums> log = computed(session, options, start);
  const report::RunSummary summary = summary_of(session, start);
  if (options.kept != nullptr) {
    boost::json::object& document = options.kept->document;
    document = to_json(options, outcome, summary, session.machine().fabric().attribution(), log);
    if (options.kept->with_links)
      document["links"] = report::links_csv(session.machine().fabric(), summary.simulated);
    if (options.kept->with_explanation && options.explain)
      document["explain"] = to_json(outcome.explained, session);
    options.kept->summary = summary;
    return outcome.report.correct ? ExitCode::ok : ExitCode::wrong_values;
  }
  const auto print = [&] { print_results(options, session, outcome, summary, log); };
  try {
    if (folder != nullptr) {
      write_results(*folder, options, arguments, session, outcome, summary, log);
      if (!options.quiet) report::say_results(options.out, has_page(options));
    }
  } catch (const UsageError&) {  // no room for files: the results are printed all the same
    print();
    throw;
  }
  print();
  say_wrong(options, outcome.report);
  return outcome.report.correct ? ExitCode::ok : ExitCode::wrong_values;
}

// Explains the run up to now, if a limit or a signal ended it.
void explain_until_now(host::Session& session, const explain::OpMarks& marks, const Error& error) {
  if (error.exit_code() != ExitCode::limit && error.exit_code() != ExitCode::interrupted) return;
  const std::string now = to_string(session.sim().now());
  try {
    const std::string text = to_text(explanations_of(session, {}, marks));
    say("--explain: the run hasn't ended; until {}{}\n{}", now,
        text.empty() ? " no launch had, of which there is something to explain" : ":", text);
  } catch (const Error& why) {  // the reason of the end matters more
    say("--explain: the run hasn't ended; until {}: {}\n", now, why.what());
  }
}

void simulate_and_report(const report::OutputFolder* folder, host::Session& session, const BenchRun& run,
                         const explain::OpMarks& marks, report::RunTrace& trace) {
  const auto bound = run.options.parallel_bound ? evaluate::watch_parallel_bound(session) : nullptr;
  const auto say_bound = [&] {
    if (bound != nullptr) say(evaluate::to_text(*bound, session.sim().events()));
  };
  try {
    const StandingLine progress{progress_of(run.options, run.start)};
    simulate_and_dump(folder, session, run.options, trace);
  } catch (const Error& error) {
    say_bound();
    if (run.options.explain) explain_until_now(session, marks, error);
    if (folder != nullptr && error.exit_code() == ExitCode::interrupted)
      write_partial_results(*folder, run.options, run.arguments, session, summary_of(session, run.start));
    throw;
  }
  require_submitted(run.options.bench, session);
  say_bound();
}

// Keeps the op that --of asks about, as far as it is known before the run.
void keep_asked(explain::OpMarks& marks, const RunOptions& options, host::Session& session) {
  if (options.explain_of && options.explain_of->kind == explain::PathQuestion::Kind::op)
    marks.keep(op_of(*options.explain_of, session.log()));
}

// A signal may come during the explanation: then the folder gets the simulation's results.
Results explained_results(const BenchRun& run, const report::OutputFolder* folder, host::Session& session,
                          BenchReport report, const explain::OpMarks& marks) {
  const StandingLine progress{progress_of(run.options, run.start)};
  const HostWork work{"explaining the run"};
  try {
    return results_of(run.options, session, std::move(report), marks);
  } catch (const Interrupted&) {
    if (folder != nullptr)
      write_partial_results(*folder, run.options, run.arguments, session, summary_of(session, run.start));
    throw;
  }
}

// Repeats the run with other values of keys, without output.
void run_trials(std::vector<explain::KeyTrial>& trials, const Arguments& arguments) {
  const Arguments words = without_plugins(without_outputs(arguments));
  explain::simulate(trials, [&words](const std::string& setting) {
    Arguments own = words;
    own.insert(own.end(), {"--set", setting});
    KeptRun run{.wanted = [](const std::string&) { return true; }};
    (void)run_kept(own, &run);
    return run.summary.simulated;
  });
}

}  // namespace

ExitCode simulate_bench(const BenchRun& run, const report::OutputFolder* folder, host::Session& session,
                        report::RunTrace& trace) {
  ChakraRecorder chakra{session};
  if (!run.options.chakra.empty()) session.watch_calls(&chakra);
  explain::OpMarks marks{session.sim(), session.log()};
  keep_asked(marks, run.options, session);
  host::World world;
  host::Rank main{session, world, 0};
  BenchReport report;
  (void)session.sim().spawn("bench " + run.options.bench,
                            main.run(program_of(main, run.bench, run.devices, run.request, &report)));
  const StopSignals signals;
  simulate_and_report(folder, session, run, marks, trace);
  if (!run.options.chakra.empty()) {
    chakra.write(run.options.chakra, run.options.bench);
    if (!run.options.quiet) say("wrote execution traces to {}\n", run.options.chakra);
  }
  Results results = explained_results(run, folder, session, std::move(report), marks);
  if (run.options.recheck) run_trials(results.explained.trials, run.arguments);
  const ExitCode code = finish(folder, session, results, run.options, run.arguments, run.start);
  trace.require_written();
  if (run.options.recheck) explain::require_one_ran(results.explained.trials);
  if (!results.explained.not_there.empty()) throw explain::NothingAsked{results.explained.not_there};
  return code;
}

}  // namespace kbsim::app
