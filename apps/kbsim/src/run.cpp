// kbsim run: one bench on one machine.
#include <chrono>
#include <memory>
#include <utility>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/evaluate/option_json.hpp"
#include "kbsim/host/known_algorithm.hpp"
#include "kbsim/report/deadlock.hpp"

#include "bench_options.hpp"
#include "commands.hpp"
#include "device_option.hpp"
#include "evaluation_options.hpp"
#include "evaluation_run.hpp"
#include "help.hpp"
#include "kept_run.hpp"
#include "plugins.hpp"
#include "report_page.hpp"
#include "run_inputs.hpp"
#include "run_options.hpp"
#include "run_outputs.hpp"
#include "simulate_run.hpp"
#include "simulation_threads.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

const Bench& known_bench(const std::string& name) {
  if (const Bench* bench = benches().find(name)) return *bench;
  refuse_bench(name);
}

// A page doesn't need causes: they are left out if a model of the machine can't give them.
std::unique_ptr<host::Session> session_of(const config::MachineSpec& machine,
                                          const config::AlgorithmSpec& algorithm, host::SessionOptions how) {
  try {
    return std::make_unique<host::Session>(machine, algorithm, how);
  } catch (const Unsupported&) {
    if (!std::exchange(how.simulation.causes, false) || !how.simulation.why.optional) throw;
    return std::make_unique<host::Session>(machine, algorithm, how);
  }
}

BenchRun prepared(const Bench& bench, const RunOptions& options, const Arguments& arguments,
                  Clock::time_point start, const config::MachineSpec& machine) {
  std::vector<int> devices = options.device.empty()
                                 ? std::vector<int>{}
                                 : devices_named(options.device, machine, options.bench, bench);
  const BenchRequest request{.verify_data = options.verify_data,
                             .values = !options.timing_only,
                             .sip = devices.empty() ? 0 : devices.front(),
                             .own = options.own,
                             .algorithm = options.algorithm,
                             .buffer_kind = options.buffer_kind.has_value()};
  return {.bench = bench,
          .options = options,
          .arguments = arguments,
          .start = start,
          .devices = std::move(devices),
          .request = request};
}

ExitCode show(const BenchRun& run, const report::RunTrace& trace, const config::MachineSpec& machine,
              const config::AlgorithmSpec& algorithm) {
  const RunOptions& options = run.options;
  return show(options,
              {.bench = options.bench,
               .doc = run.bench.doc,
               .options = evaluate::to_json(options_of_bench(options.bench), options.own),
               .topology = options.machine.topology,
               .machine = machine,
               .algorithm = run.bench.algorithms == Algorithms::one ? &algorithm : nullptr,
               .files = files_of(options, trace,
                                 {"summary.json", "results.csv", "links.csv", "units.csv", "orders.csv",
                                  "launches.csv", "run.json", "config.resolved.yaml"})});
}

// Checks the subject of --of, as far as it is known before the run.
void require_lane(const RunOptions& options, host::Session& session) {
  if (options.explain_of && options.explain_of->kind == explain::PathQuestion::Kind::op)
    (void)op_of(*options.explain_of, session.log());
}

// Leaves the memory to the system, because the command is about to end. The destructors of a machine's
// millions of objects would only free memory.
void leave_to_system(std::unique_ptr<host::Session> session) {
  // Keeps the session reachable for a search for leaks.
  [[maybe_unused, gnu::used]] static const host::Session* left = nullptr;
  left = session.release();
}

ExitCode run_once(const Bench& bench, const RunOptions& options, const Arguments& arguments,
                  Clock::time_point start) {
  const auto [machine, ccl, notes, text] = load(options, uses_of(bench, options));
  const config::AlgorithmSpec& algorithm = ccl.resolve(options.algorithm);
  host::require_known(algorithm);
  const SimulationThreads threads = simulation_threads(bench, options);
  host::SessionOptions how = session_options(options, ccl);
  how.threads = threads.count;
  const BenchRun run = prepared(bench, options, arguments, start, machine);
  if (bench.check) bench.check(machine, algorithm, run.request);
  require_outputs(options);
  if (options.kept != nullptr &&
      !options.kept->wanted(
          text_of(options, evaluate::to_json(options_of_bench(options.bench), options.own), machine, ccl)))
    return ExitCode::ok;
  report::RunTrace trace{options.trace};
  std::unique_ptr<host::Session> session = session_of(machine, algorithm, how);
  if (options.dry_run) return show(run, trace, machine, algorithm);
  require_lane(options, *session);
  const std::unique_ptr<report::OutputFolder> folder = report::folder_named(options.out);
  const ExitCode exit = report::run_into(folder.get(), [&] {
    if (folder) folder->write_configuration(report::configuration_text(machine, &ccl));
    if (folder && is_recorded(options)) trace.keep_for_page(*folder);
    if (!options.quiet) say(describe_threads(threads, *session));
    return simulate_bench(run, folder.get(), *session, trace);
  });
  if (options.kept == nullptr && !has_plugins()) leave_to_system(std::move(session));
  return exit;
}

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

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return names;
}

ExitCode run_parsed(const std::string& name, const Arguments& given, KeptRun* kept) {
  DescribedOptions& described = described_options();
  po::options_description all = described.all;
  const evaluate::Evaluation* evaluation = evaluate::evaluations().find(name);
  // An unknown bench is reported first: its own options would be unknown, too.
  if (evaluation == nullptr && !name.empty() && !name.starts_with('-')) (void)known_bench(name);
  const Arguments arguments =
      evaluation != nullptr ? with_defaults(*evaluation, given) : with_topology(given);
  all.add(evaluation != nullptr ? options_of(*evaluation) : to_description(options_of_bench(name)));
  po::variables_map values;
  parse_options(arguments, all,
                {.usage = "kbsim [run] --bench NAME [--topology FILE] [options]",
                 .examples = kRunExamples,
                 .likely = name.empty() ? "bench" : "",
                 .first = command_names(),
                 .takes_run = true},
                &values);
  const auto start = Clock::now();
  RunOptions options = std::move(described.options);  // a run may run others
  options.kept = kept;
  (void)buffer_kind_of(options);
  options.unnamed_topology = unnamed_topology(given);
  options.reuse_asked_by = reuse_asker(given);
  options.own = values_of(options_of_bench(options.bench), values);
  if (kept != nullptr) options.num_threads = 1;  // other simulations run beside it
  const WatchdogLimit watchdog{options.watchdog};
  if (options.no_report && options.out.empty()) throw UsageError{"--no-report has no effect without --out"};
  if (evaluation != nullptr)
    return with_page(options, [&] { return run_evaluation(*evaluation, options, values, arguments); });
  if (options.reuse) throw UsageError{"--reuse is of evaluations; see kbsim list"};
  const Bench& bench = known_bench(options.bench);
  return with_page(options, [&] {
    try {
      return run_once(bench, options, arguments, start);
    } catch (const DeadlockReport& deadlock) {
      throw Error{deadlock.exit_code(), report::to_text(deadlock, options.verbose)};
    }
  });
}

}  // namespace

ExitCode run_bench(const Arguments& given) {
  const std::string name = bench_named(given);
  const bool with_help = is_given(given, "--help") || is_given(given, "-h");
  if (!name.empty()) load_plugins(given);
  if (with_help && !name.empty()) throw help_of_bench(name);
  return run_parsed(name, given, nullptr);
}

ExitCode run_kept(const Arguments& arguments, KeptRun* run) {
  return run_parsed(bench_named(arguments), arguments, run);
}

ExitCode explain_bench(const Arguments& given) {
  Arguments arguments = given;
  if (!is_given(given, "--explain")) arguments.emplace_back("--explain");
  try {
    return run_bench(arguments);
  } catch (Help& help) {  // help of run, shown with explain's usage
    if (help.takes_run) {
      help.usage = "kbsim explain --bench NAME [--of WHAT] [--topology FILE] [options]";
      help.more = kExplainExamples;
    }
    throw;
  }
}

}  // namespace kbsim::app
