// kbsim run: one bench on one machine.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/evaluate/option_json.hpp"
#include "kbsim/evaluate/reuse.hpp"
#include "kbsim/evaluate/run_evaluation.hpp"
#include "kbsim/evaluate/settings.hpp"
#include "kbsim/host/pointer_dump.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"
#include "kbsim/replay/checks.hpp"
#include "kbsim/replay/prints.hpp"
#include "kbsim/report/deadlock.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/run_summary.hpp"
#include "kbsim/report/run_trace.hpp"
#include "kbsim/report/use.hpp"
#include "kbsim/tl/kernel.hpp"

#include "bench_options.hpp"
#include "chakra_recorder.hpp"
#include "commands.hpp"
#include "device_option.hpp"
#include "evaluation_options.hpp"
#include "explain_run.hpp"
#include "help.hpp"
#include "kept_run.hpp"
#include "parallel_bound.hpp"
#include "plan.hpp"
#include "plugins.hpp"
#include "report_page.hpp"
#include "run_options.hpp"
#include "run_results.hpp"

namespace kbsim::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

// Races are told of a run that fails, too: they may be why. With --race error that is what it says anyway.
void simulate(host::Session& session, const RunOptions& options) {
  try {
    session.simulate();
  } catch (...) {
    if (options.race != oplog::RaceMode::error)
      print_races(session.machine().races().reports(session.sim().now()));
    throw;
  }
}

// What an algorithm names must be there before anything runs.
void require_known(const config::AlgorithmSpec& algorithm) {
  (void)kernels().at(algorithm.kernel);
  (void)ccl::topologies().at(algorithm.topology);
  (void)ccl::mappers().at(algorithm.mapper);
  (void)ccl::validators().at(algorithm.validator);
}

bool is_same_file(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && fs::weakly_canonical(a) == fs::weakly_canonical(b);
}

// That they can be written, and none over another, is known now, not when all is done.
void require_outputs(const RunOptions& options) {
  const report::OutputPlan plan{.out = options.out, .json = options.json};
  if (!options.oplog.empty()) report::require_output("--oplog", options.oplog, plan);
  if (!options.trace.file.empty()) report::require_output("--trace", options.trace.file, plan);
  for (const std::string& trace : {options.trace.file, options.trace.folder}) {
    if (is_same_file(options.oplog, trace))
      throw UsageError{fmt::format("--oplog {}: the trace has that name", options.oplog)};
  }
  report::require_folder(options.chakra);
  report::require_folder(options.out);
}

void dump_queues(hw::Machine& machine) {
  const std::string lines = host::pointer_dump(machine);
  say(lines.empty() ? "--dump-queues: no queues between PEs are installed\n" : lines);
}

// Of a run that is stuck the folder has why.
void simulate_into(const report::OutputFolder* folder, host::Session& session, const RunOptions& options) {
  try {
    simulate(session, options);
  } catch (const DeadlockReport& deadlock) {
    try {
      if (folder != nullptr) report::write_deadlock(*folder, &deadlock);
    } catch (const Error& error) {  // the deadlock is the news
      say("kbsim: {}\n", error.what());
    }
    throw;
  }
}

// However it ends.
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

// What runs: the bench itself, or what --device makes of it.
Task<> program_of(host::Rank& main, const Bench& bench, const std::vector<int>& devices, BenchRequest request,
                  BenchReport* report) {
  const bool copies = !devices.empty() && bench.devices == Devices::current;
  return copies ? run_on(main, devices, &bench, request, report) : bench.run(main, request, report);
}

// A host program that asks nothing of the machine has measured nothing.
void require_submitted(const std::string& bench, host::Session& session) {
  if (session.machine().fabric().attribution().messages > 0) return;
  throw KernelFault{fmt::format("bench {} submitted nothing: no message went through the machine", bench)};
}

evaluate::Chosen chosen(const RunOptions& options) {
  return {.set = options.machine.set,
          .ccl = options.machine.ccl,
          .algorithm = options.algorithm,
          .buffer_kind = buffer_kind_of(options)};
}

// What has no effect beside an option has one without it.
std::vector<UnusedKey> unused_beside(std::vector<UnusedKey> keys, const OptionValues& own) {
  std::erase_if(keys, [&](const UnusedKey& key) { return !key.beside.empty() && !own.given(key.beside); });
  return keys;
}

evaluate::Uses uses_of(const std::string& name, const Bench& bench, const OptionValues& own) {
  return {
      .name = "--bench " + name, .algorithms = bench.algorithms, .unused = unused_beside(bench.unused, own)};
}

evaluate::Uses uses_of(const std::string& name, const evaluate::Evaluation& evaluation,
                       const OptionValues& own) {
  return {.name = "--bench " + name,
          .algorithms = evaluation.algorithms,
          .collective = evaluation.collective,
          .named = evaluation.named,
          .unused = unused_beside(evaluation.unused, own)};
}

// The configuration as it runs; settings without effect are refused.
config::Configuration load(const RunOptions& options, const evaluate::Uses& uses) {
  config::Configuration result = options.machine.load();
  inputs::declare_plan_file(options.algorithm, result.ccl);
  evaluate::require_effect(uses, chosen(options), result);
  if (uses.algorithms != Algorithms::any || !uses.collective) evaluate::apply(chosen(options), result.ccl);
  return result;
}

// One after the other where each tells of its queues.
unsigned threads_of(const RunOptions& options) {
  return host::queues_are_traced() ? 1 : static_cast<unsigned>(options.num_threads);
}

// Those in --out, the op log and the trace.
std::vector<std::string> files_of(const RunOptions& options, const report::RunTrace& trace,
                                  const std::vector<std::string>& in_out) {
  std::vector<std::string> files = trace.files();
  if (!options.out.empty()) {
    for (const std::string& name : in_out) files.push_back(options.out + "/" + name);
  }
  if (!options.oplog.empty()) files.push_back(options.oplog);
  if (!options.chakra.empty()) files.push_back(fmt::format("{}/{}.RANK.et", options.chakra, options.bench));
  return files;
}

std::string contents_named(const std::string& file) { return read_input(file, file); }

// Of the execution traces in it, if there are any.
std::string traces_in(const std::string& folder) {
  std::set<std::string> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator{folder, ignored}) {
    if (entry.path().extension() == ".et") files.insert(entry.path().string());
  }
  std::string text;
  for (const std::string& file : files) text += contents_named(file);
  return text;
}

// The contents of a file that an option names, an evaluation's model, say; or of a folder of execution
// traces.
std::string files_named(const OptionSet& options, const OptionValues& own) {
  std::string text;
  for (const Option& option : options.options) {
    const bool folder = option.value == "DIR";
    if ((!folder && option.value != "FILE") || !own.given(option.long_name())) continue;
    const std::string named = std::get<std::string>(own.value(option.long_name()));
    text += fmt::format("{}\n{}\n", option.long_name(), folder ? traces_in(named) : contents_named(named));
  }
  return text;
}

// The contents of a plan's file.
std::string plan_text(const std::string& algorithm) {
  return inputs::names_plan_file(algorithm) ? read_input(algorithm, algorithm) : "";
}

// All of it that the result depends on.
std::string text_of(const RunOptions& options, const boost::json::object& own,
                    const config::MachineSpec& machine, const config::CclSpec& ccl) {
  const boost::json::object flags{{"bench", options.bench},
                                  {"options", own},
                                  {"algorithm", options.algorithm},
                                  {"buffer-kind", options.buffer_kind.value_or("")},
                                  {"device", options.device},
                                  {"verify-data", options.verify_data},
                                  {"timing-only", options.timing_only},
                                  {"shuffle-ties", options.shuffle_ties.value_or(0)},
                                  {"stop-at", options.stop_at_ns.value_or(-1.0)},
                                  {"max-sim-time", options.max_sim_time_ns.value_or(-1.0)},
                                  {"max-events", options.max_events.value_or(0)},
                                  {"race", options.race ? static_cast<int>(*options.race) : -1},
                                  {"links", options.kept->with_links},
                                  {"explain", options.explain},
                                  {"explanation", options.kept->with_explanation}};
  return fmt::format("{}\n{}{}", boost::json::serialize(flags),
                     files_named(options_of_bench(options.bench), options.own) + plan_text(options.algorithm),
                     config::resolved_compactly(machine, ccl, hw::ModelCatalog{}));
}

// --set can't choose them.
bool chooses_packages(const evaluate::Evaluation& evaluation) {
  return std::ranges::any_of(evaluation.unused,
                             [](const UnusedKey& key) { return key.key.starts_with("system.sips"); });
}

// Beside --json stdout stays empty: nothing ran.
ExitCode show(const RunOptions& options, const Plan& plan) {
  if (!options.json) fmt::print("{}", to_text(plan));
  (void)std::fflush(stdout);
  return ExitCode::ok;
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

// Where there is one simulation, and where it runs at all.
report::RunTrace* traced(report::RunTrace& trace, const evaluate::Evaluation& evaluation,
                         const RunOptions& options) {
  if (!evaluation.traced)
    throw Unsupported{
        fmt::format("--trace: {} runs many simulations, and a trace is of a single one", options.bench)};
  if (options.reuse) throw UsageError{"--trace: --reuse simulates nothing"};
  return &trace;
}

ExitCode run_evaluation(const evaluate::Evaluation& evaluation, const RunOptions& options,
                        const po::variables_map& own, const Arguments& arguments) {
  if (options.stop_at_ns || options.max_sim_time_ns || options.max_events || options.shuffle_ties ||
      options.race || options.exact_packets || !options.oplog.empty() || options.dump_queues ||
      options.parallel_bound)
    throw Unsupported{fmt::format(
        "{} runs many simulations: --stop-at, --max-sim-time, --max-events, --shuffle-ties, --race, "
        "--exact-packets, --oplog, --dump-queues and --parallel-bound are of a single one",
        options.bench)};
  if (!options.chakra.empty())
    throw Unsupported{
        fmt::format("--chakra: {} runs many simulations, and traces are of a single one", options.bench)};
  if (options.timing_only && !evaluation.timing_only)
    throw Unsupported{fmt::format("--timing-only: {} has no rows without values{}", options.bench,
                                  evaluation.options.find("check") != nullptr ? "; see its --check 0" : "")};
  if (options.explain && !evaluation.explained)
    throw Unsupported{fmt::format(
        "--explain: {} runs many simulations, and its rows don't say what limits them", options.bench)};
  if (options.explain && options.reuse) throw UsageError{"--explain: --reuse simulates nothing"};
  require_explained(options);
  if (options.explain_of || options.recheck)
    throw Unsupported{
        fmt::format("--of, --recheck: {} runs many simulations, and its rows tell no paths", options.bench)};
  if (!options.device.empty())
    throw UsageError{fmt::format("--device {} has no effect on --bench {}: it chooses its packages itself",
                                 options.device, options.bench)};
  if (options.verify_data)
    throw UsageError{fmt::format("--verify-data: the rows of {} say what is right", options.bench)};
  const OptionValues& chosen = options.own;
  const auto [machine, ccl, notes, text] = load(options, uses_of(options.bench, evaluation, chosen));
  evaluate::EvaluationRequest request{
      .machine = machine,
      .ccl = ccl,
      .algorithm = options.algorithm,
      .buffer_kind = buffer_kind_of(options),
      .values = !options.timing_only,
      .own = chosen,
      .outputs = {.out = options.out, .json = options.json},
      .parallel = {.threads = threads_of(options), .progress = !options.quiet && options.kept == nullptr},
      .explain = options.explain};
  report::RunTrace trace{options.trace};
  if (trace.wanted()) request.trace = traced(trace, evaluation, options);
  const std::optional<report::CsvTable> reference = reference_of(own);
  if (evaluation.check && !options.reuse) evaluation.check(request);
  require_outputs(options);
  if (options.kept != nullptr) return keep(evaluation, request, options);
  const evaluate::EvaluateOptions how{.name = options.bench,
                                      .out = options.out,
                                      .reuse = options.reuse,
                                      .reuse_asked_by = options.reuse_asked_by,
                                      .json = options.json,
                                      .quiet = options.quiet,
                                      .verbose = options.verbose,
                                      .reference = reference};
  if (options.reuse) evaluate::require_same_run(evaluation, request, how);
  if (!options.dry_run) {
    const ExitCode code = evaluate::run_evaluation(evaluation, request, how, arguments);
    trace.require_written();
    return code;
  }
  const bool one = evaluation.algorithms == Algorithms::one;
  return show(options, {.bench = options.bench,
                        .doc = evaluation.doc,
                        .options = evaluate::row_options(evaluation, request),
                        .topology = options.machine.topology,
                        .machine = machine,
                        .own_packages = chooses_packages(evaluation),
                        .algorithm = one ? &ccl.resolve(options.algorithm) : nullptr,
                        .files = files_of(options, trace,
                                          {"summary.json", "results.csv", "run.json", "config.resolved.yaml",
                                           "figures as .png and .svg"})});
}

const Bench& known_bench(const std::string& name) {
  if (const Bench* bench = benches().find(name)) return *bench;
  refuse_bench(name);
}

report::RunSummary summary_of(host::Session& session, Clock::time_point start) {
  return {.simulated = session.sim().now(),
          .events = session.sim().events(),
          .digest = session.machine().digest(),
          .wall = Clock::now() - start,
          .peak_memory = report::peak_memory(),
          .resident = session.resident(),
          .race_memory = session.machine().races().memory()};
}

// What is left to say when the simulation has ended.
ExitCode finish(const report::OutputFolder* folder, host::Session& session, const Results& outcome,
                const RunOptions& options, const Arguments& arguments, Clock::time_point start) {
  self_profile::phase(WorkKind{"report"});
  for (const std::string& line : replay::prints(session.log(), session.replay())) say("{}\n", line);
  print_races(session.machine().races().reports());
  const std::optional<LogChecksums> log = log_of(options, session);
  replay::check(session.log(), session.replay());
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
  if (folder != nullptr) write_results(*folder, options, arguments, session, outcome, summary, log);
  print_results(options, session, outcome, summary, log);
  return outcome.report.correct ? ExitCode::ok : ExitCode::wrong_values;
}

// For a page no machine must be one that says why: without causes where it isn't.
std::unique_ptr<host::Session> session_of(const config::MachineSpec& machine,
                                          const config::AlgorithmSpec& algorithm, host::SessionOptions how) {
  try {
    return std::make_unique<host::Session>(machine, algorithm, how);
  } catch (const Unsupported&) {
    if (!std::exchange(how.simulation.causes, false) || !how.simulation.why.optional) throw;
    return std::make_unique<host::Session>(machine, algorithm, how);
  }
}

// A run of one bench, as far as it is known before it is simulated.
struct BenchRun {
  const Bench& bench;
  const RunOptions& options;
  const Arguments& arguments;
  Clock::time_point start;
  std::vector<int> devices;
  BenchRequest request;
};

BenchRun prepared(const Bench& bench, const RunOptions& options, const Arguments& arguments,
                  Clock::time_point start, const config::MachineSpec& machine) {
  std::vector<int> devices = options.device.empty()
                                 ? std::vector<int>{}
                                 : devices_named(options.device, machine, options.bench, bench);
  const BenchRequest request{.verify_data = options.verify_data,
                             .values = !options.timing_only,
                             .sip = devices.empty() ? 0 : devices.front(),
                             .own = options.own};
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

// Nothing in it looks like an earlier run's.
std::unique_ptr<report::OutputFolder> begun_folder(const std::string& out) {
  std::unique_ptr<report::OutputFolder> folder = report::folder_named(out);
  if (!folder) return nullptr;
  folder->begin_run();
  report::write_deadlock(*folder, nullptr);
  return folder;
}

// Until a limit or a signal has ended it.
void explain_until_now(host::Session& session, const Error& error) {
  if (error.exit_code() != ExitCode::limit && error.exit_code() != ExitCode::interrupted) return;
  if (session.sim().causes() == nullptr) return;
  const std::string now = to_string(session.sim().now());
  try {
    const std::string text = to_text(explanations_of(session, true));
    say("--explain: the run hasn't ended; until {}{}\n{}", now,
        text.empty() ? " no launch had, of which there is something to explain" : ":", text);
  } catch (const Error& why) {  // why it has ended is the news
    say("--explain: the run hasn't ended; until {}: {}\n", now, why.what());
  }
}

void simulate_and_tell(const report::OutputFolder* folder, host::Session& session, const BenchRun& run,
                       report::RunTrace& trace) {
  const auto bound = run.options.parallel_bound ? watch_parallel_bound(session) : nullptr;
  const auto say_bound = [&] {
    if (bound != nullptr) say(to_text(*bound, session.sim().events()));
  };
  try {
    simulate_and_dump(folder, session, run.options, trace);
  } catch (const Error& error) {
    say_bound();
    explain_until_now(session, error);
    if (folder != nullptr && error.exit_code() == ExitCode::interrupted)
      write_partial_results(*folder, run.options, run.arguments, session, summary_of(session, run.start));
    throw;
  }
  require_submitted(run.options.bench, session);
  say_bound();
}

ExitCode simulate_bench(const BenchRun& run, const report::OutputFolder* folder, host::Session& session,
                        report::RunTrace& trace) {
  ChakraRecorder chakra{session};
  if (!run.options.chakra.empty()) session.watch_calls(&chakra);
  host::World world;
  host::Rank main{session, world, 0};
  BenchReport report;
  (void)session.sim().spawn("bench " + run.options.bench,
                            main.run(program_of(main, run.bench, run.devices, run.request, &report)));
  const StopSignals signals;
  simulate_and_tell(folder, session, run, trace);
  if (!run.options.chakra.empty()) chakra.write(run.options.chakra, run.options.bench);
  Results results = results_of(run.options, session, std::move(report));
  if (run.options.recheck) simulate(results.explained.trials, run.arguments);
  const ExitCode code = finish(folder, session, results, run.options, run.arguments, run.start);
  trace.require_written();
  return code;
}

ExitCode run_once(const Bench& bench, const RunOptions& options, const Arguments& arguments,
                  Clock::time_point start) {
  const auto [machine, ccl, notes, text] = load(options, uses_of(options.bench, bench, options.own));
  const config::AlgorithmSpec& algorithm = ccl.resolve(options.algorithm);
  require_known(algorithm);
  const host::SessionOptions how = session_options(options, ccl);
  const BenchRun run = prepared(bench, options, arguments, start, machine);
  if (bench.check) bench.check(machine, algorithm, run.request);
  require_outputs(options);
  if (options.kept != nullptr &&
      !options.kept->wanted(
          text_of(options, evaluate::to_json(options_of_bench(options.bench), options.own), machine, ccl)))
    return ExitCode::ok;
  report::RunTrace trace{options.trace};
  const std::unique_ptr<host::Session> session = session_of(machine, algorithm, how);
  if (options.dry_run) return show(run, trace, machine, algorithm);
  const std::unique_ptr<report::OutputFolder> folder = begun_folder(options.out);
  if (folder) {
    folder->write_configuration(machine, &ccl);
    if (is_recorded(options)) trace.keep_for_page(*folder);
  }
  return simulate_bench(run, folder.get(), *session, trace);
}

}  // namespace

namespace {

// Described once a process: to describe them anew is a twentieth of a small point's time in a sweep.
struct DescribedOptions {
  RunOptions options;
  po::options_description all = description(options);
};

// As they are before anything is given.
DescribedOptions& described_options() {
  static DescribedOptions described;
  described.options = {};
  return described;
}

ExitCode run_parsed(const std::string& name, const Arguments& given, KeptRun* kept) {
  DescribedOptions& described = described_options();
  RunOptions& options = described.options;
  options.kept = kept;
  po::options_description all = described.all;
  const evaluate::Evaluation* evaluation = evaluate::evaluations().find(name);
  // Its own options would be unknown with it.
  if (evaluation == nullptr && !name.empty() && !name.starts_with('-')) (void)known_bench(name);
  const Arguments arguments =
      evaluation != nullptr ? with_defaults(*evaluation, given) : with_topology(given);
  all.add(evaluation != nullptr ? options_of(*evaluation) : to_description(options_of_bench(name)));
  po::variables_map values;
  parse_options(arguments, all,
                {.usage = "kbsim [run] --bench NAME [--topology FILE] [options]", .examples = kRunExamples},
                &values);
  const auto start = Clock::now();
  (void)buffer_kind_of(options);
  options.unnamed_topology = unnamed_topology(given);
  options.reuse_asked_by = reuse_asker(given);
  options.own = values_of(options_of_bench(options.bench), values);
  if (kept != nullptr) options.num_threads = 1;  // others run beside it
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
  return run_bench(arguments);
}

}  // namespace kbsim::app
