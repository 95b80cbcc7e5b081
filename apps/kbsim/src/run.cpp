// kbsim run: one bench on one machine.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <string_view>

#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/environment.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/evaluate/option_json.hpp"
#include "kbsim/evaluate/reuse.hpp"
#include "kbsim/evaluate/run_evaluation.hpp"
#include "kbsim/evaluate/settings.hpp"
#include "kbsim/host/pointer_dump.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/replay/checks.hpp"
#include "kbsim/replay/prints.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/deadlock.hpp"
#include "kbsim/report/launches.hpp"
#include "kbsim/report/orders.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/run_summary.hpp"
#include "kbsim/report/use.hpp"
#include "kbsim/tl/kernel.hpp"

#include "bench_options.hpp"
#include "commands.hpp"
#include "device_option.hpp"
#include "evaluation_options.hpp"
#include "help.hpp"
#include "machine_options.hpp"
#include "memory_option.hpp"
#include "oplog_file.hpp"
#include "plan.hpp"
#include "plugins.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

struct RunOptions {
  MachineOptions machine;
  std::string unnamed_topology;
  std::string bench;
  std::string algorithm;
  std::optional<std::string> buffer_kind;
  std::string device;
  std::string oplog;
  bool verify_data = false;
  bool timing_only = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool dry_run = false;
  std::string out;
  bool reuse = false;
  std::string reuse_asked_by;
  std::optional<std::uint64_t> shuffle_ties;
  std::optional<double> stop_at_ns;
  std::optional<double> max_sim_time_ns;
  std::optional<std::uint64_t> max_events;
  std::optional<oplog::RaceMode> race;
  std::uint64_t num_threads = 0;
  bool dump_queues = false;
  OptionValues own = {};  // of the bench
};

oplog::RaceMode race_mode(const std::string& text) {
  if (text == "off") return oplog::RaceMode::off;
  if (text == "warn") return oplog::RaceMode::warn;
  if (text == "error") return oplog::RaceMode::error;
  throw UsageError{fmt::format("--race must be error, warn or off, got '{}'", text)};
}

// Of an option that takes a whole number: read as an unsigned one, -1 would be the largest there is.
auto whole(const char* option, const char* value_name, std::int64_t max,
           const std::function<void(std::uint64_t)>& set) {
  return po::value<std::int64_t>()->value_name(value_name)->notifier([=](std::int64_t value) {
    if (value < 0 || value > max)
      throw UsageError{fmt::format("--{} must be 0 to {}, got {}", option, max, value)};
    set(static_cast<std::uint64_t>(value));
  });
}

// The time from 0 on at which a run stops, whatever it is that says so.
Time stop_of(const RunOptions& options) {
  Time first = kForever;
  for (const auto& [name, ns] :
       {std::pair{"stop-at", options.stop_at_ns}, std::pair{"max-sim-time", options.max_sim_time_ns}}) {
    if (!ns) continue;
    if (*ns < 0) throw UsageError{fmt::format("--{} must be a time from 0 on, got {}", name, *ns)};
    first = std::min(first, from_ns(*ns));
  }
  return first;
}

po::options_description description(RunOptions& o) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  po::options_description all{"options of kbsim run"};
  o.machine.describe(all);
  describe_memory(all);
  auto add = all.add_options();
  add("bench", po::value(&o.bench)->value_name("NAME")->required(), "what to run on it; see kbsim list");
  add("algorithm", po::value(&o.algorithm)->value_name("NAME"),
      "collective algorithm of the ccl file (default: its defaults.algorithm)");
  add("buffer-kind",
      po::value<std::string>()->value_name("tcm|hbm|sram")->notifier([&](const std::string& v) {
        o.buffer_kind = v;
      }),
      "memory of its queues' slots, in place of what the ccl file says: tcm, hbm or sram");
  add("device", po::value(&o.device)->value_name("sip:N|all"),
      "the package that the bench runs on, or all for a copy on each (default: as the bench says)");
  add("verify-data", po::bool_switch(&o.verify_data), "print the check of every tensor");
  add("timing-only", po::bool_switch(&o.timing_only),
      "record no values and check none: for the longest runs");
  add("oplog", po::value(&o.oplog)->value_name("FILE"),
      "write the op log, and print what kbsim replay FILE will print");
  add("json", po::bool_switch(&o.json), "print the result as JSON, and nothing else, on stdout");
  add("out", po::value(&o.out)->value_name("DIR"),
      "write summary.json, results.csv, links.csv, units.csv, orders.csv, launches.csv, run.json and "
      "config.resolved.yaml there");
  add("reuse", po::bool_switch(&o.reuse),
      "of an evaluation: simulate nothing, make text and figures again from the rows in --out");
  add("quiet", po::bool_switch(&o.quiet), "no summary on stderr");
  add("dry-run", po::bool_switch(&o.dry_run), "read and check everything, run nothing, say what would run");
  add("verbose", po::bool_switch(&o.verbose),
      "of a deadlock: all who wait and all queues, not its cycles alone");
  add("dump-queues", po::bool_switch(&o.dump_queues),
      "print each PE's queues at the end on stderr: counters, and where their rings lie");
  add("shuffle-ties", whole("shuffle-ties", "SEED", kMax, [&](std::uint64_t v) { o.shuffle_ties = v; }),
      "run events of equal time in random order; no result may change");
  add("race", po::value<std::string>()->value_name("error|warn|off")->notifier([&](const std::string& v) {
    o.race = race_mode(v);
  }),
      "accesses of one place that nothing orders: error (exit code 8), warn (the default), or off");
  add("stop-at", po::value<double>()->value_name("NS")->notifier([&](double v) { o.stop_at_ns = v; }),
      "stop at this simulated time (exit code 4)");
  add("max-sim-time",
      po::value<double>()->value_name("NS")->notifier([&](double v) { o.max_sim_time_ns = v; }),
      "a run that takes longer is a runaway: stop there (exit code 4)");
  add("max-events", whole("max-events", "N", kMax, [&](std::uint64_t v) { o.max_events = v; }),
      "stop after so many events (exit code 4)");
  add("num-threads", whole("num-threads", "N", 1024, [&](std::uint64_t v) { o.num_threads = v; }),
      "threads that compute the numbers (default: all)");
  return all;
}

const std::string kRunExamples = R"(
examples:
  kbsim --topology topology.yaml --bench ccl_allreduce
  kbsim --topology topology.yaml --bench ccl_allreduce --set system.sips.count=8 --json
  kbsim --topology topology.yaml --bench ccl --algorithm ring_all_gather -b 1K -e 1M -f 4
  kbsim --topology topology.yaml --bench ccl_allreduce --set ccl.defaults.n_slots=1 --verify-data
)";

// What asks for the values that --timing-only leaves out.
void require_values_wanted(const RunOptions& options) {
  const auto refuse = [](const char* other, const char* why) {
    throw UsageError{fmt::format("--timing-only and {}: {}", other, why)};
  };
  if (!options.oplog.empty()) refuse("--oplog", "a run that records no values has no op log");
  if (options.verify_data) refuse("--verify-data", "a run that records no values has none to verify");
  if (options.race && *options.race != oplog::RaceMode::off)
    refuse("--race", "a run that records no operations finds no races among them");
}

bool choices_are_told() { return environment_choice("KBSIM_CCL_DEBUG", {"INFO"}) == "INFO"; }

host::SessionOptions session_options(const RunOptions& options, const config::CclSpec& ccl) {
  if (options.timing_only) require_values_wanted(options);
  const oplog::RaceMode usual = options.timing_only ? oplog::RaceMode::off : oplog::RaceMode::warn;
  host::SessionOptions result{.simulation = {.shuffle_ties = options.shuffle_ties},
                              .replay_threads = static_cast<unsigned>(options.num_threads),
                              .races = options.race.value_or(usual),
                              .timing_only = options.timing_only,
                              .ccl = ccl,
                              .choices = choices_are_told() ? stderr : nullptr};
  result.simulation.stop_at = stop_of(options);
  if (options.max_events) result.simulation.max_events = *options.max_events;
  return result;
}

void print_races(const std::vector<std::string>& races) {
  constexpr std::size_t kMany = 10;
  for (const std::string& line : races | std::views::take(kMany)) say("warning: {}\n", line);
  if (races.size() > kMany) say("and {} more data races\n", races.size() - kMany);
}

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

std::optional<config::BufferKind> buffer_kind_of(const RunOptions& options) {
  if (!options.buffer_kind) return std::nullopt;
  const std::optional<config::BufferKind> kind = config::buffer_kind_of(*options.buffer_kind);
  if (!kind)
    throw UsageError{fmt::format("--buffer-kind must be tcm, hbm or sram, got '{}'", *options.buffer_kind)};
  return kind;
}

// What an algorithm names must be there before anything runs.
void require_known(const config::AlgorithmSpec& algorithm) {
  (void)kernels().at(algorithm.kernel);
  (void)ccl::topologies().at(algorithm.topology);
  (void)ccl::mappers().at(algorithm.mapper);
  (void)ccl::validators().at(algorithm.validator);
}

// That they can be written is known now, not when all is done.
void require_outputs(const RunOptions& options) {
  if (!options.oplog.empty())
    report::require_output("--oplog", options.oplog, {.out = options.out, .json = options.json});
  report::require_folder(options.out);
}

std::optional<LogChecksums> log_of(const RunOptions& options, host::Session& session) {
  if (options.oplog.empty()) return std::nullopt;
  write_log(options.oplog, session.log());
  return checksums(session.log(), session.replay());
}

// What a bench found.
struct Results {
  BenchReport report;
  boost::json::array launches = {};  // of one that reports no rows of its own: a row each
  bool by_launch = false;
};

Results results_of(host::Session& session, BenchReport report) {
  if (has_rows(report)) return {.report = std::move(report)};
  return {.report = std::move(report),
          .launches = report::launch_rows(hw::host_of(session.machine()).orders()),
          .by_launch = true};
}

boost::json::object to_json(const RunOptions& options, const Results& outcome,
                            const report::RunSummary& summary, const hw::Attribution& messages,
                            const std::optional<LogChecksums>& log) {
  const auto correct =
      options.timing_only ? boost::json::value(nullptr) : boost::json::value(outcome.report.correct);
  boost::json::object all{{"schema_version", 1},
                          {"version", KBSIM_VERSION},
                          {"bench", options.bench},
                          {"topology", options.machine.topology},
                          {"checked", !options.timing_only},
                          {"correct", correct},
                          {"result", outcome.report.json},
                          {"messages", report::to_json(messages)},
                          {"run", report::to_json(summary)}};
  if (outcome.by_launch) all["launches"] = outcome.launches;
  if (options.verify_data)
    all["tensors"] = boost::json::array(outcome.report.tensors.begin(), outcome.report.tensors.end());
  if (log) all["oplog"] = to_json(*log);
  return all;
}

// What links, units and orders had done until then.
void write_counts(const report::OutputFolder& folder, host::Session& session, Time until) {
  hw::Machine& machine = session.machine();
  folder.write("links.csv", report::links_csv(machine.fabric(), until));
  folder.write("units.csv", report::units_csv(machine, until));
  const std::vector<hw::OrderRecord> orders = hw::host_of(machine).orders();
  folder.write("orders.csv", report::orders_csv(orders, session.spec().pes_per_cube()));
  folder.write("launches.csv", report::launches_csv(report::launch_rows(orders)));
}

report::RunRecord record_of(const RunOptions& options, const Arguments& arguments, host::Session& session,
                            bool whole) {
  return {.command = "run",
          .arguments = arguments,
          .machine = session.spec(),
          .ccl = &session.ccl(),
          .options = evaluate::to_json(options_of_bench(options.bench), options.own),
          .whole = whole};
}

void write(const report::OutputFolder& folder, const RunOptions& options, const Arguments& arguments,
           host::Session& session, const Results& outcome, const report::RunSummary& summary,
           const std::optional<LogChecksums>& log) {
  const hw::Machine& machine = session.machine();
  folder.write_run(record_of(options, arguments, session, true), summary);
  folder.write("summary.json", to_json(options, outcome, summary, machine.fabric().attribution(), log));
  folder.write("results.csv", outcome.by_launch ? report::launches_csv(outcome.launches)
                                                : report::to_csv(rows_of(outcome.report)));
  write_counts(folder, session, summary.simulated);
}

// Of a run that a signal has stopped: how far it was.
void write_partial(const report::OutputFolder& folder, const RunOptions& options, const Arguments& arguments,
                   host::Session& session, report::RunSummary summary) {
  const hw::Machine& machine = session.machine();
  summary.digest = {};  // of nothing that could be compared
  folder.write_run(record_of(options, arguments, session, false), summary);
  folder.write("summary.json",
               boost::json::object{{"schema_version", 1},
                                   {"version", KBSIM_VERSION},
                                   {"bench", options.bench},
                                   {"topology", options.machine.topology},
                                   {"interrupted", true},
                                   {"correct", nullptr},
                                   {"result", nullptr},
                                   {"messages", report::to_json(machine.fabric().attribution())},
                                   {"run", report::to_json(summary)}});
  folder.remove("results.csv");
  write_counts(folder, session, summary.simulated);
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
void simulate_and_dump(const report::OutputFolder* folder, host::Session& session,
                       const RunOptions& options) {
  try {
    simulate_into(folder, session, options);
  } catch (const Error&) {
    if (options.dump_queues) dump_queues(session.machine());
    throw;
  }
  if (options.dump_queues) dump_queues(session.machine());
}

void print(const RunOptions& options, const Results& outcome, const report::RunSummary& summary,
           const hw::Attribution& messages, const std::optional<LogChecksums>& log) {
  if (options.json) {
    std::cout << boost::json::serialize(to_json(options, outcome, summary, messages, log)) << '\n';
  } else {
    fmt::print("{}", outcome.report.text);
    fmt::print("{}", report::launches_text(outcome.launches));
    for (const std::string& line : outcome.report.tensors) fmt::print("  {}\n", line);
    fmt::print(" {}\n", report::to_text(messages));
    if (options.timing_only) fmt::print(" not checked (--timing-only)\n");
    if (log) fmt::print("{}\n", to_text(*log));
    std::fflush(stdout);
  }
  if (!options.quiet) say("{}{}\n", report::to_text(summary), options.unnamed_topology);
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
  evaluate::require_effect(uses, chosen(options), result);
  if (uses.algorithms != Algorithms::any || !uses.collective) evaluate::apply(chosen(options), result.ccl);
  return result;
}

// One after the other where each tells of its queues.
unsigned threads_of(const RunOptions& options) {
  return host::queues_are_traced() ? 1 : static_cast<unsigned>(options.num_threads);
}

// Those in --out, and the op log.
std::vector<std::string> files_of(const RunOptions& options, const std::vector<std::string>& in_out) {
  std::vector<std::string> files;
  if (!options.out.empty()) {
    for (const std::string& name : in_out) files.push_back(options.out + "/" + name);
  }
  if (!options.oplog.empty()) files.push_back(options.oplog);
  return files;
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

ExitCode run_evaluation(const evaluate::Evaluation& evaluation, const RunOptions& options,
                        const po::variables_map& own, const Arguments& arguments) {
  if (options.stop_at_ns || options.max_sim_time_ns || options.max_events || options.shuffle_ties ||
      options.race || options.timing_only || !options.oplog.empty() || options.dump_queues)
    throw Unsupported{
        fmt::format("{} runs many simulations: --stop-at, --max-sim-time, --max-events, --shuffle-ties, "
                    "--race, --timing-only, --oplog and --dump-queues are of a single one",
                    options.bench)};
  if (!options.device.empty())
    throw UsageError{fmt::format("--device {} has no effect on --bench {}: it chooses its packages itself",
                                 options.device, options.bench)};
  if (options.verify_data)
    throw UsageError{fmt::format("--verify-data: the rows of {} say what is right", options.bench)};
  const OptionValues chosen = values_of(evaluation.options, own);
  const auto [machine, ccl, notes, text] = load(options, uses_of(options.bench, evaluation, chosen));
  const evaluate::EvaluationRequest request{
      .machine = machine,
      .ccl = ccl,
      .algorithm = options.algorithm,
      .buffer_kind = buffer_kind_of(options),
      .own = chosen,
      .outputs = {.out = options.out, .json = options.json},
      .parallel = {.threads = threads_of(options), .progress = !options.quiet}};
  const std::optional<report::CsvTable> reference = reference_of(own);
  if (evaluation.check && !options.reuse) evaluation.check(request);
  require_outputs(options);
  const evaluate::EvaluateOptions how{.name = options.bench,
                                      .out = options.out,
                                      .reuse = options.reuse,
                                      .reuse_asked_by = options.reuse_asked_by,
                                      .json = options.json,
                                      .quiet = options.quiet,
                                      .verbose = options.verbose,
                                      .reference = reference};
  if (options.reuse) evaluate::require_same_run(evaluation, request, how);
  if (!options.dry_run) return evaluate::run_evaluation(evaluation, request, how, arguments);
  const bool one = evaluation.algorithms == Algorithms::one;
  return show(options, {.bench = options.bench,
                        .doc = evaluation.doc,
                        .options = evaluate::row_options(evaluation, request),
                        .topology = options.machine.topology,
                        .machine = machine,
                        .own_packages = chooses_packages(evaluation),
                        .algorithm = one ? &ccl.resolve(options.algorithm) : nullptr,
                        .files = files_of(options, {"summary.json", "results.csv", "run.json",
                                                    "config.resolved.yaml", "figures as .png and .svg"})});
}

// An evaluation whose name is mistyped is meant, too.
const Bench& known_bench(const std::string& name) {
  if (const Bench* bench = benches().find(name)) return *bench;
  std::vector<std::string> names = benches().names();
  for (const std::string& evaluation : evaluate::evaluations().names()) names.push_back(evaluation);
  throw UsageError{fmt::format("unknown bench '{}'{}", name, name_hint(name, names))};
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
  for (const std::string& line : replay::prints(session.log(), session.replay())) say("{}\n", line);
  print_races(session.machine().races().reports());
  const std::optional<LogChecksums> log = log_of(options, session);
  replay::check(session.log(), session.replay());
  const report::RunSummary summary = summary_of(session, start);
  if (folder != nullptr) write(*folder, options, arguments, session, outcome, summary, log);
  print(options, outcome, summary, session.machine().fabric().attribution(), log);
  return outcome.report.correct ? ExitCode::ok : ExitCode::wrong_values;
}

ExitCode run_once(const Bench& bench, const RunOptions& options, const Arguments& arguments,
                  Clock::time_point start) {
  const auto [machine, ccl, notes, text] = load(options, uses_of(options.bench, bench, options.own));
  const config::AlgorithmSpec& algorithm = ccl.resolve(options.algorithm);
  require_known(algorithm);
  const host::SessionOptions how = session_options(options, ccl);
  const std::vector<int> devices = options.device.empty()
                                       ? std::vector<int>{}
                                       : devices_named(options.device, machine, options.bench, bench);
  const BenchRequest request{.verify_data = options.verify_data,
                             .values = !options.timing_only,
                             .sip = devices.empty() ? 0 : devices.front(),
                             .own = options.own};
  if (bench.check) bench.check(machine, algorithm, request);
  require_outputs(options);

  host::Session session{machine, algorithm, how};
  if (options.dry_run)
    return show(options, {.bench = options.bench,
                          .doc = bench.doc,
                          .options = evaluate::to_json(options_of_bench(options.bench), options.own),
                          .topology = options.machine.topology,
                          .machine = machine,
                          .algorithm = bench.algorithms == Algorithms::one ? &algorithm : nullptr,
                          .files = files_of(
                              options, {"summary.json", "results.csv", "links.csv", "units.csv", "orders.csv",
                                        "launches.csv", "run.json", "config.resolved.yaml"})});
  const std::unique_ptr<report::OutputFolder> folder = report::folder_named(options.out);
  if (folder) report::write_deadlock(*folder, nullptr);  // an earlier run's
  host::World world;
  host::Rank main{session, world, 0};
  BenchReport report;
  (void)session.sim().spawn("bench " + options.bench,
                            main.run(program_of(main, bench, devices, request, &report)));
  const StopSignals signals;
  try {
    simulate_and_dump(folder.get(), session, options);
  } catch (const Error& error) {
    if (folder && error.exit_code() == ExitCode::interrupted)
      write_partial(*folder, options, arguments, session, summary_of(session, start));
    throw;
  }
  require_submitted(options.bench, session);
  return finish(folder.get(), session, results_of(session, std::move(report)), options, arguments, start);
}

}  // namespace

ExitCode run_bench(const Arguments& given) {
  const std::string name = bench_named(given);
  const bool with_help = is_given(given, "--help") || is_given(given, "-h");
  if (!name.empty()) load_plugins(given);
  if (with_help && !name.empty()) throw help_of_bench(name);
  RunOptions options;
  po::options_description all = description(options);
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
  if (evaluation != nullptr) return run_evaluation(*evaluation, options, values, arguments);
  if (options.reuse) throw UsageError{"--reuse is of evaluations; see kbsim list"};
  const Bench& bench = known_bench(options.bench);
  options.own = values_of(bench.run.options(), values);
  try {
    return run_once(bench, options, arguments, start);
  } catch (const DeadlockReport& deadlock) {
    throw Error{deadlock.exit_code(), report::to_text(deadlock, options.verbose)};
  }
}

}  // namespace kbsim::app
