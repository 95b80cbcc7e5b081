// A run of one bench, from its first event to its report.
#include "simulate_run.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>

#include "kbsim/base/say.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/signals/stop_signals.hpp"

#include "chakra_recorder.hpp"
#include "device_option.hpp"
#include "report_results.hpp"
#include "run_results.hpp"
#include "run_words.hpp"
#include "standing_line.hpp"
#include "sweep_point.hpp"
#include "tried_changes.hpp"
#include "watched_simulation.hpp"

namespace kbsim::app {
namespace {

// The program that runs: the bench itself, or its copies for --device.
Task<> program_of(host::Rank& main, const BenchCall& call, BenchReport* report) {
  const bool copies = !call.devices.empty() && call.bench.devices == Devices::current;
  return copies ? run_on(main, call.devices, &call.bench, call.request, report)
                : call.bench.run(main, call.request, report);
}

// Keeps the op that --of asks about, as far as it is known before the run.
void keep_asked(explain::OpMarks& marks, const ReadyRun& run) {
  const RunWatch& watch = run.options.watch;
  if (asks_about(watch, explain::PathQuestion::Kind::op))
    marks.keep(op_of(*watch.question, run.session.log()));
}

void write_calls(const ChakraRecorder& calls, const ReadyRun& run) {
  const auto& [inputs, outputs, watch] = run.options;
  if (outputs.chakra.empty()) return;
  calls.write(outputs.chakra, inputs.bench);
  if (!outputs.quiet) say("wrote execution traces to {}\n", outputs.chakra);
}

// A signal may come during the explanation: then the folder gets the simulation's results.
Results explained_results(const ReadyRun& run, BenchReport report, const explain::OpMarks& marks) {
  const StandingLine progress{
      {.shown = shows_progress(run.options.outputs), .start = run.options.watch.start}};
  const HostWork work{"explaining the run"};
  try {
    return results_of(run, std::move(report), marks);
  } catch (const Interrupted&) {
    write_partial_results(run);
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

// The path whose length is the run's result; or the longest launch, which the result is a part of.
std::size_t measured_path(const Explanations& explained, std::optional<double> measured) {
  std::size_t longest = 0;
  Time most{};
  for (std::size_t i = 0; i < explained.all.size(); ++i) {
    const explain::Explanation& one = explained.all[i];
    if (measured && one.path.length() == from_ns(*measured)) return i;
    if (one.kernel.empty() || one.path.length() <= most) continue;
    longest = i;
    most = one.path.length();
  }
  return longest;
}

// Tries changes for the path that was asked about, or else the one that the run measures.
void advise(const ReadyRun& run, Results& results) {
  Explanations& explained = results.explained;
  if (explained.all.empty() || run.options.outputs.kept != nullptr) return;
  const boost::json::object document = document_of(run, results);
  const std::optional<double> measured = measured_ns(document, 0);
  explained.measured = measured_path(explained, measured);
  const bool asked = explained.asked != 0;
  const explain::Explanation& what = explained.all[asked ? explained.asked : explained.measured];
  const explain::Counts counts = explain::counts_on(
      what.path, run.session.machine(), counts_of(run.options.inputs, run.session.spec(), run.session.ccl()));
  explained.findings = findings_on(what, counts, run.session);
  if (run.options.watch.no_try) return;
  const bool has_time = measured && (!asked || explained.asked == explained.measured);
  explained.advice = advice_on(explain::candidates_of(what, counts), what.path.length(),
                               {.options = run.options,
                                .measured_ns = has_time ? measured : std::nullopt,
                                .events = results.summary.events});
  explain::settle(explained.findings, explained.advice);
}

// The error is all that is printed. Files that were asked for are written: the run is as it would have been.
[[noreturn]] void refuse_question(const ReadyRun& run, Results& results) {
  if (run.folder != nullptr || !run.options.outputs.oplog.empty()) {
    compute(run, results);
    advise(run, results);
    write_only(run, results);
  }
  run.trace.require_written();
  throw explain::NothingAsked{results.explained.not_there};
}

}  // namespace

ExitCode simulate_bench(const ReadyRun& run) {
  const auto& [inputs, outputs, watch] = run.options;
  ChakraRecorder calls{run.session};
  if (!outputs.chakra.empty()) run.session.watch_calls(&calls);
  explain::OpMarks marks{run.session.sim(), run.session.log()};
  keep_asked(marks, run);
  host::World world;
  host::Rank main{run.session, world, 0};
  BenchReport report;
  (void)run.session.sim().spawn("bench " + inputs.bench, main.run(program_of(main, run.call, &report)));
  const StopSignals signals;
  simulate_watched(run, marks);
  write_calls(calls, run);
  Results results = explained_results(run, std::move(report), marks);
  if (!results.explained.not_there.empty()) refuse_question(run, results);
  if (watch.recheck) run_trials(results.explained.trials, outputs.arguments);
  compute(run, results);
  advise(run, results);
  const ExitCode code = report_results(run, results);
  run.trace.require_written();
  if (watch.recheck) explain::require_one_ran(results.explained.trials);
  return code;
}

}  // namespace kbsim::app
