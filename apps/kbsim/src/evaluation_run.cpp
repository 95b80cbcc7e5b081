// A bench of many simulations.
#include "evaluation_run.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kbsim/base/say.hpp"
#include "kbsim/evaluate/reuse.hpp"
#include "kbsim/evaluate/run_evaluation.hpp"
#include "kbsim/host/session.hpp"

#include "evaluation_checks.hpp"
#include "evaluation_options.hpp"
#include "run_configuration.hpp"
#include "run_dependencies.hpp"
#include "simulation_threads.hpp"
#include "tried_changes.hpp"

namespace kbsim::app {
namespace {

// One thread if simulations trace their queues, or if the order of all events is watched.
unsigned threads_of(const RunOptions& options) {
  return host::queues_are_traced() || options.watch.parallel_bound
             ? 1
             : static_cast<unsigned>(options.inputs.num_threads);
}

// True if changes are tried after the run.
bool is_advised(const RunOptions& options) {
  const bool explained = options.watch.explain || has_page(options.outputs);
  return explained && !options.watch.no_try && options.outputs.kept == nullptr;
}

std::function<std::vector<explain::Advice>(const evaluate::TriedRow&)> advisor(const RunOptions& options) {
  return [&options](const evaluate::TriedRow& row) {
    return advice_on(row.candidates, row.length,
                     {.options = options,
                      .measured_ns = measured_ns(row.document, row.row),
                      .row = row.row,
                      .events = row.events});
  };
}

evaluate::EvaluationRequest request_of(const RunOptions& options, const config::Configuration& of) {
  const auto& [inputs, outputs, watch] = options;
  return {.machine = of.machine,
          .ccl = of.ccl,
          .algorithm = inputs.algorithm,
          .buffer_kind = inputs.buffer_kind,
          .values = !watch.timing_only,
          .own = inputs.own,
          .outputs = {.out = outputs.out, .json = outputs.json},
          .parallel = {.threads = threads_of(options), .progress = shows_progress(outputs)},
          .explain = watch.explain,
          .counts = is_advised(options) ? counts_of(inputs, of.machine, of.ccl) : explain::Counts{},
          .explained_row = watch.question ? watch.question->number : 0,
          .shuffle_ties = inputs.shuffle_ties,
          .exact_packets = inputs.exact_packets,
          .parallel_bound = watch.parallel_bound,
          .alone = inputs.evaluation->alone,
          .checked_before = outputs.kept == nullptr};
}

evaluate::EvaluateOptions how_to_run(const RunOptions& options, std::optional<report::CsvTable> reference) {
  const RunOutputs& outputs = options.outputs;
  return {.name = options.inputs.bench,
          .out = outputs.out,
          .gets_page = has_page(outputs),
          .reuse = outputs.reuse,
          .reuse_asked_by = outputs.reuse_asked_by,
          .json = outputs.json,
          .quiet = outputs.quiet,
          .verbose = outputs.verbose,
          .wide = outputs.wide && options.inputs.evaluation->wide_text != nullptr,
          .reference = std::move(reference),
          .advise = is_advised(options) ? advisor(options) : nullptr};
}

// True if the evaluation chooses its packages, so that --set can't.
bool chooses_packages(const evaluate::Evaluation& evaluation) {
  return std::ranges::any_of(evaluation.unused, [](const evaluate::UnusedKey& key) {
    return key.key.starts_with("system.sips") && key.without.empty();
  });
}

ExitCode show_plan(const RunOptions& options, const evaluate::EvaluationRequest& request,
                   const report::RunTrace& trace) {
  const RunInputs& inputs = options.inputs;
  const evaluate::Evaluation& evaluation = *inputs.evaluation;
  const bool one = evaluation.algorithms == evaluate::Algorithms::one;
  return show(options.outputs, {.bench = inputs.bench,
                                .doc = evaluation.doc,
                                .options = evaluate::row_options(evaluation, request),
                                .topology = inputs.machine.topology,
                                .machine = request.machine,
                                .own_packages = chooses_packages(evaluation),
                                .algorithm = one ? &request.ccl.resolve(inputs.algorithm) : nullptr,
                                .files = files_of(options.outputs, inputs.bench, trace,
                                                  {"summary.json", "results.csv", "run.json",
                                                   "config.resolved.yaml", "figures as .png and .svg"}),
                                .more = evaluation.plan ? evaluation.plan(request) : ""});
}

// A point of a sweep.
ExitCode keep(const RunOptions& options, const evaluate::EvaluationRequest& request) {
  const evaluate::Evaluation& evaluation = *options.inputs.evaluation;
  if (!is_wanted(options, evaluate::row_options(evaluation, request), request.machine, request.ccl))
    return ExitCode::ok;
  evaluate::KeptEvaluation found = evaluate::keep_evaluation(evaluation, request, options.inputs.bench);
  KeptRun& kept = *options.outputs.kept;
  kept.document = std::move(found.summary);
  kept.summary = found.run;
  return found.exit;
}

void say_one_thread(const RunOptions& options) {
  if (options.watch.parallel_bound && options.inputs.num_threads > 1 && !options.outputs.quiet)
    say("simulated by one thread: {}\n", kBoundWatches);
}

}  // namespace

ExitCode run_evaluation(const RunOptions& options) {
  require_suited(options);
  const auto& [inputs, outputs, watch] = options;
  const evaluate::Evaluation& evaluation = *inputs.evaluation;
  const config::Configuration configuration = load(inputs);
  evaluate::EvaluationRequest request = request_of(options, configuration);
  report::RunTrace trace{outputs.trace};
  if (trace.wanted()) {
    require_traced(options);
    request.trace = &trace;
  }
  const evaluate::EvaluateOptions how = how_to_run(options, reference_of(outputs.reference));
  if (evaluation.check && !outputs.reuse) evaluation.check(request);
  require_outputs(outputs);
  if (outputs.kept != nullptr) return keep(options, request);
  if (outputs.reuse) evaluate::require_same_run(evaluation, request, how);
  if (outputs.dry_run) return show_plan(options, request, trace);
  say_one_thread(options);
  const ExitCode code = evaluate::run_evaluation(evaluation, request, how, outputs.arguments);
  trace.require_written();
  return code;
}

}  // namespace kbsim::app
