// The command line of kbsim run.
#include "run_options.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

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

// The help page of kbsim run, in its order.
struct Block {
  const char* title;
  void (*describe)(RunOptions& options, po::options_description& to);
};
using To = po::options_description;
constexpr std::array kBlocks{
    Block{"machine", [](RunOptions& o, To& to) { o.inputs.machine.describe(to); }},
    Block{"what to run", [](RunOptions& o, To& to) { describe_bench(o.inputs, to); }},
    Block{"results", [](RunOptions& o, To& to) { describe_outputs(o.outputs, to); }},
    Block{"checks", [](RunOptions& o, To& to) { describe_checks(o.watch, to); }},
    Block{"explaining", [](RunOptions& o, To& to) { describe_questions(o.watch, to); }},
    Block{"records and timelines", [](RunOptions& o, To& to) { describe_records(o.outputs, to); }},
    Block{"watching", [](RunOptions& o, To& to) { describe_watching(o.watch, to); }},
    Block{"limits", [](RunOptions& o, To& to) { describe_limits(o.watch, to); }},
    Block{"order of events", [](RunOptions& o, To& to) { describe_events(o.inputs, to); }},
    Block{"threads", [](RunOptions& o, To& to) { describe_threads(o.inputs, to); }}};

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

std::vector<OptionGroup> groups_of_run() {
  RunOptions unused;
  std::vector<OptionGroup> groups;
  for (const Block& block : kBlocks) {
    po::options_description own;
    block.describe(unused, own);
    groups.push_back({.title = block.title, .first = own.options().front()->long_name()});
  }
  groups.push_back({.title = "help", .first = "help"});
  return groups;
}

Synopsis synopsis(const std::string& bench, const evaluate::Evaluation* evaluation) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return {.usage = "kbsim [run] --bench NAME [--topology FILE] [options]",
          .examples = kExamples,
          .likely = bench.empty() ? "bench" : "",
          .foreign = evaluation != nullptr ? evaluation->foreign : std::map<std::string, std::string>{},
          .first = std::move(names),
          .groups = groups_of_run(),
          .takes_run = true};
}

void require_wide(const RunOptions& options) {
  const evaluate::Evaluation* const evaluation = options.inputs.evaluation;
  if (options.outputs.wide && evaluation != nullptr && !evaluation->wide_text)
    throw UsageError{fmt::format("--wide has no effect with --bench {}, whose tables have all columns",
                                 options.inputs.bench)};
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

po::options_description description(RunOptions& options) {
  po::options_description all{"options of kbsim run"};
  for (const Block& block : kBlocks) block.describe(options, all);
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
  require_wide(options);
  if (evaluation == nullptr) options.inputs.single = &single_bench(options);
  return options;
}

// Recording makes each packet an event of its own, and --max-events counts events.
bool is_recorded(const RunOptions& options) { return has_page(options.outputs) && !options.watch.max_events; }

}  // namespace kbsim::app
