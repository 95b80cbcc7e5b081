// The command line of kbsim run.
#include "run_options.hpp"

#include <utility>

#include "kbsim/app/bench.hpp"
#include "kbsim/evaluate/evaluation.hpp"

#include "bench_options.hpp"
#include "evaluation_options.hpp"
#include "help.hpp"
#include "parse_options.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

constexpr const char* kExamples = R"(
examples:
  kbsim --topology topology.yaml --bench ccl_allreduce
  kbsim --topology topology.yaml --bench ccl_allreduce --set system.sips.count=8 --json
  kbsim --topology topology.yaml --bench ccl --algorithm ring_all_gather -b 1K -e 1M -f 4
  kbsim --topology topology.yaml --bench ccl_allreduce --set ccl.defaults.n_slots=1 --verify-data
)";

// Described once per process: describing them takes a twentieth of a small point's time in a sweep.
struct DescribedOptions {
  RunOptions options;
  po::options_description all = description(options);
};

// The options before any is given.
DescribedOptions& described_options() {
  static DescribedOptions described;
  described.options = {};
  return described;
}

Synopsis synopsis(const std::string& bench, const evaluate::Evaluation* evaluation) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return {.usage = "kbsim [run] --bench NAME [--topology FILE] [options]",
          .examples = kExamples,
          .likely = bench.empty() ? "bench" : "",
          .foreign = evaluation != nullptr ? evaluation->foreign : std::map<std::string, std::string>{},
          .first = std::move(names),
          .takes_run = true};
}

const Bench& known_bench(const std::string& name) {
  if (const Bench* bench = benches().find(name)) return *bench;
  refuse_bench(name);
}

const Bench& single_bench(const RunOptions& options) {
  if (options.outputs.reuse) throw UsageError{"--reuse is of evaluations; see kbsim list"};
  return known_bench(options.inputs.bench);
}

}  // namespace

// In the order of the help page.
po::options_description description(RunOptions& options) {
  po::options_description all{"options of kbsim run"};
  options.inputs.machine.describe(all);
  describe_process(options.watch, all);
  describe_bench(options.inputs, all);
  describe_values(options.watch, all);
  describe_outputs(options.outputs, all);
  describe_questions(options.watch, all);
  describe_events(options.inputs, all);
  describe_limits(options.watch, all);
  describe_threads(options.inputs, all);
  return all;
}

RunOptions parse_run(const Arguments& given) {
  const std::string name = bench_named(given);
  const evaluate::Evaluation* const evaluation = evaluate::evaluations().find(name);
  // An unknown bench is reported first: its own options would be unknown, too.
  if (evaluation == nullptr && !name.empty() && !name.starts_with('-')) (void)known_bench(name);
  const Arguments arguments =
      evaluation != nullptr ? with_defaults(*evaluation, given) : with_topology(given);
  DescribedOptions& described = described_options();
  po::options_description all = described.all;
  all.add(evaluation != nullptr ? options_of(*evaluation) : to_description(options_of_bench(name)));
  po::variables_map values;
  parse_options(arguments, all, synopsis(name, evaluation), &values);
  RunOptions options = std::move(described.options);  // a run may run others
  options.watch.start = std::chrono::steady_clock::now();
  take_values(values, options.inputs);
  take_values(values, given, arguments, options.outputs);
  if (options.watch.no_try && !options.watch.explain && options.outputs.out.empty())
    throw UsageError{"--no-try has no effect without --explain or --out"};
  options.inputs.evaluation = evaluation;
  if (evaluation == nullptr) options.inputs.single = &single_bench(options);
  return options;
}

// Recording makes each packet an event of its own, and --max-events counts events.
bool is_recorded(const RunOptions& options) { return has_page(options.outputs) && !options.watch.max_events; }

}  // namespace kbsim::app
