// A bench of many simulations.
#include "evaluation_run.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/evaluate/reuse.hpp"
#include "kbsim/evaluate/run_evaluation.hpp"
#include "kbsim/host/pointer_dump.hpp"
#include "kbsim/report/run_trace.hpp"

#include "evaluation_options.hpp"
#include "kept_run.hpp"
#include "report_page.hpp"
#include "run_inputs.hpp"
#include "run_outputs.hpp"
#include "simulation_threads.hpp"

namespace kbsim::app {
namespace {

// One thread if simulations trace their queues, or if the order of all events is watched.
unsigned threads_of(const RunOptions& options) {
  return host::queues_are_traced() || options.parallel_bound ? 1 : static_cast<unsigned>(options.num_threads);
}

// True if the evaluation chooses its packages, so that --set can't.
bool chooses_packages(const evaluate::Evaluation& evaluation) {
  return std::ranges::any_of(evaluation.unused,
                             [](const UnusedKey& key) { return key.key.starts_with("system.sips"); });
}

// A point of a sweep.
ExitCode keep(const evaluate::Evaluation& evaluation, const evaluate::EvaluationRequest& request,
              const RunOptions& options) {
  KeptRun& kept = *options.kept;
  if (!kept.wanted(
          text_of(options, evaluate::row_options(evaluation, request), request.machine, request.ccl)))
    return ExitCode::ok;
  evaluate::KeptEvaluation found = evaluate::keep_evaluation(evaluation, request, options.bench);
  kept.document = std::move(found.summary);
  kept.summary = found.run;
  return found.exit;
}

// Refuses an option that only a bench of a single simulation takes, and names such a bench.
[[noreturn]] void refuse_of_one(const evaluate::Evaluation& evaluation, const RunOptions& options,
                                const std::string& asked, const std::string& more = "") {
  throw Unsupported{
      fmt::format("{}: {} is an evaluation and doesn't take it, even with one simulation: give it to a "
                  "bench, as --bench {}{}",
                  asked, options.bench, evaluation.bench_of_one, more)};
}

// Allows a trace if the evaluation can have one simulation, and if it runs at all.
report::RunTrace* traced(report::RunTrace& trace, const evaluate::Evaluation& evaluation,
                         const RunOptions& options) {
  if (!evaluation.traced)
    refuse_of_one(evaluation, options, options.trace.file.empty() ? "--trace-dir" : "--trace",
                  ", or to --bench ccl of one size, as -b 4K -e 4K");
  if (options.reuse) throw UsageError{"--trace: --reuse simulates nothing"};
  return &trace;
}

// Refuses options that have no effect if nothing is simulated.
void refuse_simulated(const RunOptions& options) {
  for (const auto& [name, given] :
       {std::pair{"--explain", options.explain}, std::pair{"--exact-packets", options.exact_packets},
        std::pair{"--shuffle-ties", options.shuffle_ties.has_value()},
        std::pair{"--parallel-bound", options.parallel_bound},
        std::pair{"--verify-data", options.verify_data}}) {
    if (given) throw UsageError{fmt::format("{}: --reuse simulates nothing", name)};
  }
}

// Refuses limits, which would mean something different for each of many simulations.
void refuse_limits(const evaluate::Evaluation& evaluation, const RunOptions& options) {
  for (const auto& [name, given] : {std::pair{"--stop-at", options.stop_at_ns.has_value()},
                                    std::pair{"--max-sim-time", options.max_sim_time_ns.has_value()},
                                    std::pair{"--max-events", options.max_events.has_value()}}) {
    if (given)
      refuse_of_one(evaluation, options, name,
                    "; --max-memory limits them all, and Ctrl-C keeps the rows that have ended");
  }
}

void refuse_single(const evaluate::Evaluation& evaluation, const RunOptions& options) {
  refuse_limits(evaluation, options);
  // Evaluations look for no races, so --race off is allowed.
  for (const auto& [name, given] :
       {std::pair{"--race", options.race.value_or(oplog::RaceMode::off) != oplog::RaceMode::off},
        std::pair{"--oplog", !options.oplog.empty()}, std::pair{"--dump-queues", options.dump_queues},
        std::pair{"--chakra", !options.chakra.empty()}}) {
    if (given) refuse_of_one(evaluation, options, name);
  }
  if (options.timing_only && !evaluation.timing_only)
    throw Unsupported{fmt::format("--timing-only: {} has no rows without values{}", options.bench,
                                  evaluation.options.find("check") != nullptr ? "; see its --check 0" : "")};
  if (options.explain && !evaluation.explained)
    throw Unsupported{fmt::format(
        "--explain: {} runs many simulations, and its rows don't say what limits them", options.bench)};
  if (options.reuse) refuse_simulated(options);
  require_explained(options);
  if (options.recheck) refuse_of_one(evaluation, options, "--recheck");
  if (options.explain_of && options.explain_of->kind != explain::PathQuestion::Kind::row)
    throw Unsupported{fmt::format("--of {}: {} runs many simulations; --of row:N explains one of its rows",
                                  as_asked(*options.explain_of), options.bench)};
}

// Rows check their values anyway, unless an option leaves the check out.
void require_values(const evaluate::Evaluation& evaluation, const RunOptions& options) {
  if (!options.verify_data) return;
  if (options.timing_only) throw UsageError{"--timing-only and --verify-data: nothing is computed"};
  if (evaluation.options.find("check") != nullptr && options.own.value("check") == Scalar{std::int64_t{0}})
    throw UsageError{"--check 0 and --verify-data: nothing is compared"};
}

void refuse_chosen(const RunOptions& options) {
  if (!options.device.empty())
    throw UsageError{fmt::format("--device {} has no effect on --bench {}: it chooses its packages itself",
                                 options.device, options.bench)};
}

evaluate::EvaluationRequest request_of(const evaluate::Evaluation& evaluation, const RunOptions& options,
                                       const config::Configuration& of) {
  return {.machine = of.machine,
          .ccl = of.ccl,
          .algorithm = options.algorithm,
          .buffer_kind = buffer_kind_of(options),
          .values = !options.timing_only,
          .own = options.own,
          .outputs = {.out = options.out, .json = options.json},
          .parallel = {.threads = threads_of(options), .progress = !options.quiet && options.kept == nullptr},
          .explain = options.explain,
          .explained_row = options.explain_of ? options.explain_of->number : 0,
          .shuffle_ties = options.shuffle_ties,
          .exact_packets = options.exact_packets,
          .parallel_bound = options.parallel_bound,
          .alone = evaluation.alone,
          .checked_before = options.kept == nullptr};
}

evaluate::EvaluateOptions how_to_run(const RunOptions& options,
                                     const std::optional<report::CsvTable>& reference) {
  return {.name = options.bench,
          .out = options.out,
          .gets_page = has_page(options),
          .reuse = options.reuse,
          .reuse_asked_by = options.reuse_asked_by,
          .json = options.json,
          .quiet = options.quiet,
          .verbose = options.verbose,
          .reference = reference};
}

ExitCode show(const evaluate::Evaluation& evaluation, const evaluate::EvaluationRequest& request,
              const RunOptions& options, const report::RunTrace& trace) {
  const bool one = evaluation.algorithms == Algorithms::one;
  return show(options, {.bench = options.bench,
                        .doc = evaluation.doc,
                        .options = evaluate::row_options(evaluation, request),
                        .topology = options.machine.topology,
                        .machine = request.machine,
                        .own_packages = chooses_packages(evaluation),
                        .algorithm = one ? &request.ccl.resolve(options.algorithm) : nullptr,
                        .files = files_of(options, trace,
                                          {"summary.json", "results.csv", "run.json", "config.resolved.yaml",
                                           "figures as .png and .svg"})});
}

}  // namespace

ExitCode run_evaluation(const evaluate::Evaluation& evaluation, const RunOptions& options,
                        const boost::program_options::variables_map& own, const Arguments& arguments) {
  refuse_single(evaluation, options);
  require_values(evaluation, options);
  refuse_chosen(options);
  const config::Configuration configuration = load(options, uses_of(options.bench, evaluation, options.own));
  evaluate::EvaluationRequest request = request_of(evaluation, options, configuration);
  report::RunTrace trace{options.trace};
  if (trace.wanted()) request.trace = traced(trace, evaluation, options);
  const std::optional<report::CsvTable> reference = reference_of(own);
  if (evaluation.check && !options.reuse) evaluation.check(request);
  require_outputs(options);
  if (options.kept != nullptr) return keep(evaluation, request, options);
  const evaluate::EvaluateOptions how = how_to_run(options, reference);
  if (options.reuse) evaluate::require_same_run(evaluation, request, how);
  if (options.dry_run) return show(evaluation, request, options, trace);
  if (options.parallel_bound && options.num_threads > 1 && !options.quiet)
    say("simulated by one thread: {}\n", kBoundWatches);
  const ExitCode code = evaluate::run_evaluation(evaluation, request, how, arguments);
  trace.require_written();
  return code;
}

}  // namespace kbsim::app
