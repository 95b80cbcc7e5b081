// The options of kbsim run that an evaluation doesn't take.
#include "evaluation_checks.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/evaluate/evaluation.hpp"

namespace kbsim::app {
namespace {

// Refuses an option that only a bench of a single simulation takes, and names such a bench.
[[noreturn]] void refuse_of_one(const RunInputs& inputs, const std::string& asked,
                                const std::string& more = "") {
  throw Unsupported{
      fmt::format("{}: {} is an evaluation and doesn't take it, even with one simulation: give it to a "
                  "bench, as --bench {}{}",
                  asked, inputs.bench, inputs.evaluation->bench_of_one, more)};
}

// Refuses limits, which would mean something different for each of many simulations.
void refuse_limits(const RunInputs& inputs, const RunWatch& watch) {
  for (const auto& [name, given] : {std::pair{"--stop-at", watch.stop_at_ns.has_value()},
                                    std::pair{"--max-sim-time", watch.max_sim_time_ns.has_value()},
                                    std::pair{"--max-events", watch.max_events.has_value()}}) {
    if (given)
      refuse_of_one(inputs, name,
                    "; --max-memory limits them all, and Ctrl-C keeps the rows that have ended");
  }
}

// Evaluations look for no races, so --race off is allowed.
void refuse_records(const RunOptions& options) {
  const auto& [inputs, outputs, watch] = options;
  for (const auto& [name, given] :
       {std::pair{"--race", watch.race.value_or(oplog::RaceMode::off) != oplog::RaceMode::off},
        std::pair{"--oplog", !outputs.oplog.empty()}, std::pair{"--dump-queues", watch.dump_queues},
        std::pair{"--chakra", !outputs.chakra.empty()}}) {
    if (given) refuse_of_one(inputs, name);
  }
}

void require_supported(const RunInputs& inputs, const RunWatch& watch) {
  const evaluate::Evaluation& evaluation = *inputs.evaluation;
  if (watch.timing_only && !evaluation.timing_only)
    throw Unsupported{fmt::format("--timing-only: {} has no rows without values{}", inputs.bench,
                                  evaluation.options.find("check") != nullptr ? "; see its --check 0" : "")};
  if (watch.explain && !evaluation.explained)
    throw Unsupported{fmt::format(
        "--explain: {} runs many simulations, and its rows don't say what limits them", inputs.bench)};
}

// Refuses options that have no effect if nothing is simulated.
void refuse_simulated(const RunInputs& inputs, const RunWatch& watch) {
  for (const auto& [name, given] :
       {std::pair{"--explain", watch.explain}, std::pair{"--exact-packets", inputs.exact_packets},
        std::pair{"--shuffle-ties", inputs.shuffle_ties.has_value()},
        std::pair{"--parallel-bound", watch.parallel_bound}, std::pair{"--verify-data", watch.verify_data}}) {
    if (given) throw UsageError{fmt::format("{}: --reuse simulates nothing", name)};
  }
}

void require_row(const RunInputs& inputs, const RunWatch& watch) {
  require_explained(watch);
  if (watch.recheck) refuse_of_one(inputs, "--recheck");
  if (watch.question && !asks_about(watch, explain::PathQuestion::Kind::row))
    throw Unsupported{fmt::format("--of {}: {} runs many simulations; --of row:N explains one of its rows",
                                  as_asked(*watch.question), inputs.bench)};
}

// Rows check their values anyway, unless an option leaves the check out.
void require_values(const RunInputs& inputs, const RunWatch& watch) {
  if (!watch.verify_data) return;
  if (watch.timing_only) throw UsageError{"--timing-only and --verify-data: nothing is computed"};
  const bool may_check = inputs.evaluation->options.find("check") != nullptr;
  if (may_check && inputs.own.value("check") == Scalar{std::int64_t{0}})
    throw UsageError{"--check 0 and --verify-data: nothing is compared"};
}

void refuse_device(const RunInputs& inputs) {
  if (!inputs.device.empty())
    throw UsageError{fmt::format("--device {} has no effect on --bench {}: it chooses its packages itself",
                                 inputs.device, inputs.bench)};
}

}  // namespace

void require_suited(const RunOptions& options) {
  const auto& [inputs, outputs, watch] = options;
  refuse_limits(inputs, watch);
  refuse_records(options);
  require_supported(inputs, watch);
  if (outputs.reuse) refuse_simulated(inputs, watch);
  require_row(inputs, watch);
  require_values(inputs, watch);
  refuse_device(inputs);
}

void require_traced(const RunOptions& options) {
  const auto& [inputs, outputs, watch] = options;
  if (!inputs.evaluation->traced)
    refuse_of_one(inputs, outputs.trace.file.empty() ? "--trace-dir" : "--trace",
                  ", or to --bench ccl of one size, as -b 4K -e 4K");
  if (outputs.reuse) throw UsageError{"--trace: --reuse simulates nothing"};
}

}  // namespace kbsim::app
