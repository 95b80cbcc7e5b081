// kbsim run: one bench on one machine.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <optional>

#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/config/load.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/report/run_summary.hpp"

#include "bench.hpp"
#include "catalog.hpp"
#include "commands.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

struct Options {
  std::string topology;
  std::string bench;
  std::string ccl = "ccl.yaml";
  std::vector<std::string> set;
  bool verify_data = false;
  bool json = false;
  bool quiet = false;
  bool dry_run = false;
  std::optional<std::uint64_t> shuffle_ties;
  std::optional<double> stop_at_ns;
  std::optional<std::uint64_t> max_events;
  unsigned num_threads = 0;
};

po::options_description description(Options& o) {
  po::options_description all{"options of kbsim run"};
  auto add = all.add_options();
  add("topology", po::value(&o.topology)->value_name("FILE")->required(),
      "the machine; looked for in the current folder, then among the installed configs");
  add("bench", po::value(&o.bench)->value_name("NAME")->required(), "what to run on it; see kbsim list");
  add("ccl", po::value(&o.ccl)->value_name("FILE"),
      "collective algorithms (default: ccl.yaml, found likewise)");
  add("set", po::value(&o.set)->value_name("KEY=VALUE")->composing(),
      "override one key of the topology file, e.g. system.sips.count=4, or of the ccl file, "
      "e.g. ccl.algorithms.intercube_allreduce.n_elem=1000; repeatable");
  add("verify-data", po::bool_switch(&o.verify_data), "print the check of every tensor");
  add("json", po::bool_switch(&o.json), "print the result as JSON, and nothing else, on stdout");
  add("quiet", po::bool_switch(&o.quiet), "no summary on stderr");
  add("dry-run", po::bool_switch(&o.dry_run), "read and check everything, run nothing");
  add("shuffle-ties",
      po::value<std::uint64_t>()->value_name("SEED")->notifier([&](std::uint64_t v) { o.shuffle_ties = v; }),
      "run events of equal time in random order; no result may change");
  add("stop-at", po::value<double>()->value_name("NS")->notifier([&](double v) { o.stop_at_ns = v; }),
      "stop at this simulated time (exit code 4)");
  add("max-events",
      po::value<std::uint64_t>()->value_name("N")->notifier([&](std::uint64_t v) { o.max_events = v; }),
      "stop after so many events (exit code 4)");
  add("num-threads", po::value(&o.num_threads)->value_name("N"),
      "threads that compute the numbers (default: all)");
  add("help", "this text");
  return all;
}

constexpr std::string_view kExamples = R"(
examples:
  kbsim --topology topology.yaml --bench ccl_allreduce
  kbsim --topology topology.yaml --bench ccl_allreduce --set system.sips.count=8 --json
  kbsim --topology topology.yaml --bench ccl_allreduce --set ccl.defaults.n_slots=1 --verify-data
)";

// The overrides that begin with "ccl." are the ccl file's.
std::pair<config::Overrides, config::Overrides> split(const std::vector<std::string>& set) {
  constexpr std::string_view kPrefix = "ccl.";
  std::pair<config::Overrides, config::Overrides> result;
  for (const std::string& entry : set) {
    if (entry.starts_with(kPrefix)) {
      result.second.push_back(entry.substr(kPrefix.size()));
    } else {
      result.first.push_back(entry);
    }
  }
  return result;
}

// Both files' mistakes at once.
std::pair<config::MachineSpec, config::CclSpec> load(const Options& options) {
  const auto [machine_set, ccl_set] = split(options.set);
  const config::Folders folders{KBSIM_CONFIG_DIR};
  std::vector<ConfigProblem> problems;
  std::pair<config::MachineSpec, config::CclSpec> result;
  const auto collect = [&](const auto& read) {
    try {
      read();
    } catch (const ConfigError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  };
  collect([&] {
    result.first = config::load_machine(
        {.file = options.topology, .overrides = machine_set, .catalog = ModelCatalog{}, .folders = folders});
  });
  collect([&] { result.second = config::load_ccl(options.ccl, ccl_set, folders); });
  if (!problems.empty()) throw ConfigError{std::move(problems)};
  return result;
}

host::SessionOptions session_options(const Options& options) {
  host::SessionOptions result{.simulation = {.shuffle_ties = options.shuffle_ties},
                              .replay_threads = options.num_threads};
  if (options.stop_at_ns) result.simulation.stop_at = from_ns(*options.stop_at_ns);
  if (options.max_events) result.simulation.max_events = *options.max_events;
  return result;
}

void print(const Options& options, const BenchReport& outcome, const report::RunSummary& summary,
           const hw::Attribution& messages) {
  if (options.json) {
    boost::json::object all{{"schema_version", 1},
                            {"version", KBSIM_VERSION},
                            {"bench", options.bench},
                            {"topology", options.topology},
                            {"correct", outcome.correct},
                            {"result", outcome.json},
                            {"messages", report::to_json(messages)},
                            {"run", report::to_json(summary)}};
    std::cout << boost::json::serialize(all) << '\n';
  } else {
    fmt::print("{} {}\n", outcome.text, report::to_text(messages));
    std::fflush(stdout);
  }
  if (!options.quiet) fmt::print(stderr, "{}\n", report::to_text(summary));
}

Options parse(const Arguments& arguments, bool& help) {
  Options options;
  const po::options_description all = description(options);
  po::variables_map values;
  try {
    po::store(po::command_line_parser(arguments)
                  .options(all)
                  .positional({})
                  .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
                  .run(),
              values);
    help = values.count("help") > 0;
    if (!help) po::notify(values);
  } catch (const po::error& error) {
    throw UsageError{std::string{error.what()} + "; see kbsim run --help"};
  }
  if (help) std::cout << "kbsim [run] --topology FILE --bench NAME [options]\n\n" << all << kExamples;
  return options;
}

}  // namespace

ExitCode run_bench(const Arguments& arguments) {
  bool help = false;
  const Options options = parse(arguments, help);
  if (help) return ExitCode::ok;

  const auto start = std::chrono::steady_clock::now();
  const Bench& bench = benches().at(options.bench);
  const auto [machine, ccl] = load(options);
  const config::AlgorithmSpec algorithm = ccl.resolve("");
  if (options.dry_run) return ExitCode::ok;

  host::Session session{machine, algorithm, session_options(options)};
  host::World world;
  host::Rank main{session, world, 0};
  BenchReport report;
  (void)session.sim().spawn("bench " + options.bench,
                            bench.run(main, {.verify_data = options.verify_data}, &report));
  session.run();

  const report::RunSummary summary{.simulated = session.sim().now(),
                                   .events = session.sim().events(),
                                   .digest = session.machine().digest(),
                                   .wall = std::chrono::steady_clock::now() - start,
                                   .peak_memory = report::peak_memory()};
  print(options, report, summary, session.machine().fabric().attribution());
  return report.correct ? ExitCode::ok : ExitCode::wrong_values;
}

}  // namespace kbsim::app
