// kbsim sweep: the points of a plan, on all cores.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/memory.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/report/folder_lock.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/sweep/analysis.hpp"
#include "kbsim/sweep/fingerprint.hpp"
#include "kbsim/sweep/plan.hpp"
#include "kbsim/sweep/ranks.hpp"
#include "kbsim/sweep/run_points.hpp"
#include "kbsim/sweep/tables.hpp"

#include "commands.hpp"
#include "config_folders.hpp"
#include "machine_options.hpp"
#include "mpi_start.hpp"
#include "parse_options.hpp"
#include "plugins.hpp"
#include "sweep_point.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

constexpr int kDefault = -1000;
constexpr std::array kTables{"points.csv", "results.csv", "sweep.sqlite"};

struct SweepOptions {
  std::string plan;
  std::string bench;
  std::string topology;
  std::string ccl;
  std::vector<std::string> plugins;
  std::vector<std::string> set;
  std::vector<std::string> vary;
  std::vector<std::string> zip;
  std::vector<std::string> where;
  std::string random;
  std::string out;
  std::int64_t jobs = kDefault;
  double timeout = kDefault;
  std::string memory;
  std::string shard;
  std::string verify;
  std::string metric;
  std::string pareto;
  bool links = false;
  bool dry_run = false;
  bool quiet = false;
};

const std::string kUsage =
    "kbsim sweep [PLAN.yaml] [options] --out DIR [-- arguments of the bench]\n"
    "       kbsim sweep merge DIR [--metric NAME] [--pareto A,B]";

const std::string kSweepExamples = R"(
A value of --set that is a list or a range is an axis: 128,256,512 or 2..8 or 1..9+2 (1 3 5 7 9) or
2..16*2 (2 4 8 16) or 1..100 random 5 seed 1. The points are all combinations of the axes' values.

examples:
  kbsim sweep --bench ccl_allreduce --set cube.noc.link_bw_gbs=128,256,512 --set system.sips.count=2..8*2 --out curve
  kbsim sweep --bench ccl --vary algorithm=ring_allreduce,tree_allreduce --vary minbytes=1K..1M*4 --out sizes
  kbsim sweep plan.yaml --out curve --dry-run
  kbsim sweep merge curve --pareto latency_ns,cube.noc.link_bw_gbs
)";

void describe_tables(po::options_description_easy_init& add, std::string& metric, std::string& pareto) {
  add("metric", po::value(&metric)->value_name("NAME"),
      "what the figure and the best point are by (default: latency or time); results.csv has the names");
  add("pareto", po::value(&pareto)->value_name("A,B"),
      "the points that no other beats in both metrics, or in a metric and a numeric axis; max:A is larger is "
      "better");
}

po::options_description description(SweepOptions& o) {
  po::options_description all{"options of kbsim sweep"};
  auto add = all.add_options();
  add("plan", po::value(&o.plan)->value_name("FILE"), "a plan: bench, arguments and axes as YAML");
  add("bench", po::value(&o.bench)->value_name("NAME"), "what every point runs; see kbsim list");
  add("topology", po::value(&o.topology)->value_name("FILE"), "the machine (default: topology.yaml)");
  add("ccl", po::value(&o.ccl)->value_name("FILE"), "collective algorithms (default: as kbsim run has them)");
  add("plugin", po::value(&o.plugins)->value_name("FILE")->composing(),
      "a shared object of your own; repeatable");
  add("set", po::value(&o.set)->value_name("KEY=VALUES")->composing(),
      "a setting of all points, or if it has several values, an axis; repeatable");
  add("vary", po::value(&o.vary)->value_name("OPTION=VALUES")->composing(),
      "an axis of an option of the bench or of kbsim run, e.g. algorithm=a,b; repeatable");
  add("zip", po::value(&o.zip)->value_name("A,B")->composing(),
      "axes of equally many values that go together, not in all combinations; repeatable");
  add("where", po::value(&o.where)->value_name("CONDITION")->composing(),
      "only points for which it holds, e.g. 'cube.w * cube.h <= 16 and algorithm != \"x\"'; repeatable");
  add("random", po::value(&o.random)->value_name("\"N seed S\""), "N of the points, drawn by seed");
  add("out", po::value(&o.out)->value_name("DIR"),
      "the folder of results; what is there already isn't run again");
  add("jobs", po::value(&o.jobs)->value_name("N"), "points that run at a time (default: one a core)");
  add("timeout", po::value(&o.timeout)->value_name("S"),
      "a point that takes longer fails (exit code 4 in its row)");
  add("memory", po::value(&o.memory)->value_name("SIZE"),
      "memory of all points that run at a time (default: three quarters of the machine's)");
  add("shard", po::value(&o.shard)->value_name("I/N"),
      "the I-th of N parts of the points: for job arrays; kbsim sweep merge DIR then makes the tables");
  add("verify", po::value(&o.verify)->value_name("N%"),
      "run so many of the points once more, in other processes: digests must agree, else exit code 7");
  describe_tables(add, o.metric, o.pareto);
  add("links", po::bool_switch(&o.links), "keep what each link of each point did, for the table links");
  add("dry-run", po::bool_switch(&o.dry_run), "print the points, and how long they may take");
  add("quiet", po::bool_switch(&o.quiet), "no progress on stderr");
  return all;
}

// NAME=REST.
std::pair<std::string, std::string> divided(const char* option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw UsageError{fmt::format("--{} {}: expected NAME=VALUES", option, text)};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Place said(const std::string& option, const std::string& text) {
  return {.file = fmt::format("--{} {}", option, text)};
}

void add_words(sweep::Draft& draft, const SweepOptions& o, const Arguments& rest) {
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) draft.words.insert(draft.words.end(), {option, value});
  };
  add("--topology", o.topology);
  add("--ccl", o.ccl);
  for (const std::string& file : o.plugins) add("--plugin", file);
  draft.words.insert(draft.words.end(), rest.begin(), rest.end());
}

bool varies(const sweep::Draft& draft, const std::string& option) {
  return std::ranges::any_of(draft.axes, [&](const sweep::Axis& axis) {
    return std::ranges::any_of(axis.values, [&](const sweep::AxisValue& value) {
      return std::ranges::find(value.words, option) != value.words.end();
    });
  });
}

// The plan file first; the command line adds to it.
sweep::Plan plan_of(const SweepOptions& o, const Arguments& rest) {
  sweep::Draft draft;
  if (!o.plan.empty()) sweep::read_plan(o.plan, &draft);
  if (!o.bench.empty()) draft.bench = o.bench;
  add_words(draft, o, rest);
  for (const std::string& text : o.set) {
    const auto [key, values] = divided("set", text);
    draft.add(key, {.text = values, .at = said("set", text)});
  }
  for (const std::string& text : o.vary) {
    const auto [name, values] = divided("vary", text);
    draft.vary("--" + name, {.text = values, .at = said("vary", text)});
  }
  for (const std::string& text : o.zip) draft.zips.push_back({.text = text, .at = said("zip", text)});
  for (const std::string& text : o.where) draft.where.push_back({.text = text, .at = said("where", text)});
  if (!o.random.empty()) draft.random = sweep::Placed{.text = o.random, .at = said("random", o.random)};
  if (!is_given(draft.words, "--topology") && !varies(draft, "--topology"))
    draft.words.insert(draft.words.begin(), {"--topology", kUsualTopology});
  return sweep::plan_of(draft);
}

// Where the plan says what a point's mistake is about.
std::string place_of(const sweep::Plan& plan, const ConfigError& error) {
  for (const ConfigProblem& problem : error.problems()) {
    const auto axis = std::ranges::find(plan.axes, problem.key, &sweep::Axis::name);
    if (axis != plan.axes.end() && axis->at.line > 0)
      return fmt::format("{}: axis {}: ", to_string(axis->at), axis->name);
  }
  return "";
}

std::vector<std::size_t> spread(std::size_t all, std::size_t most) {
  std::vector<std::size_t> some;
  const std::size_t n = std::min(all, most);
  for (std::size_t i = 0; i < n; ++i) some.push_back(n == 1 ? 0 : i * (all - 1) / (n - 1));
  return some;
}

// A plan of which no point can be read is wrong as a whole: a key that isn't there, a bench that isn't known.
void require_readable(const sweep::Plan& plan) {
  constexpr std::size_t kTried = 5;
  std::optional<std::string> first;
  for (const std::size_t i : spread(plan.points.size(), kTried)) {
    try {
      check_point(words_of(plan, plan.points[i]));
      return;
    } catch (const ConfigError& error) {
      if (!first) first = place_of(plan, error) + error.what();
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::usage && error.exit_code() != ExitCode::unsupported) return;
      if (!first) first = error.what();
    }
  }
  throw UsageError{*first};
}

std::vector<std::string> requests_of(const sweep::Plan& plan, bool links) {
  sweep::Requests requests{config_folders(), {"ccl.yaml"}};
  std::vector<std::string> all;
  for (const sweep::Point& point : plan.points) {
    Arguments words = words_of(plan, point);
    if (links) words.emplace_back("--links");
    all.push_back(requests.of(words));
  }
  return all;
}

// Every n-th, from the i-th on.
std::vector<std::size_t> shard_of(const std::string& text, std::size_t points) {
  std::vector<std::size_t> all;
  unsigned i = 1;
  unsigned n = 1;
  int end = 0;
  if (!text.empty() && (std::sscanf(text.c_str(), "%u/%u%n", &i, &n, &end) != 2 ||
                        static_cast<std::size_t>(end) != text.size() || i == 0 || i > n))
    throw UsageError{fmt::format("--shard {}: expected I/N with I from 1 to N, as 1/4", text)};
  for (std::size_t at = i - 1; at < points; at += n) all.push_back(at);
  return all;
}

double share_of(const std::string& text) {
  if (text.empty()) return 0.0;
  double percent = 0.0;
  int end = 0;
  const bool read = std::sscanf(text.c_str(), "%lf%%%n", &percent, &end) == 1;
  if (!read || static_cast<std::size_t>(end) != text.size() || !(percent > 0.0 && percent <= 100.0))
    throw UsageError{fmt::format("--verify {}: expected a share above 0, as 5%", text)};
  return percent / 100.0;
}

// Of mpirun's ranks each runs one point at a time; those of a host share its memory.
sweep::PoolOptions pool_of(const SweepOptions& o, sweep::Ranks* ranks) {
  constexpr std::int64_t kMostJobs = 1024;
  const bool limited = o.timeout != kDefault;
  if (limited && !(o.timeout > 0.0))
    throw UsageError{fmt::format("--timeout must be above 0 s, got {}", o.timeout)};
  if (o.jobs != kDefault && (o.jobs < 1 || o.jobs > kMostJobs))
    throw UsageError{fmt::format("--jobs must be 1 to {}, got {}", kMostJobs, o.jobs)};
  const Bytes memory = o.memory.empty() ? memory_limit() : parse_bytes(o.memory);
  if (memory < 16_MiB) throw UsageError{fmt::format("--memory must be at least 16 MiB, got '{}'", o.memory)};
  const unsigned cores = ranks != nullptr ? 1 : std::max(1U, std::thread::hardware_concurrency());
  return {.out = o.out,
          .jobs = o.jobs == kDefault ? cores : static_cast<unsigned>(o.jobs),
          .timeout = limited ? o.timeout : 0.0,
          .memory = memory,
          .progress = !o.quiet,
          .ranks = ranks};
}

struct Sweep {
  const sweep::Plan& plan;
  std::vector<std::string> requests;
  std::vector<std::size_t> which;
  sweep::RunPoint run;
  sweep::PoolOptions pool;
};

// Makes the tables and figures of a folder of records, and prints the best point.
void make_tables(const std::string& out, const std::string& metric, const std::string& pareto) {
  const report::OutputFolder folder{out};
  const sweep::Tables tables = sweep::read_tables(out);
  folder.write("points.csv", points_csv(tables));
  folder.write("results.csv", results_csv(tables));
  write_database(fs::path{out} / "sweep.sqlite", tables);
  const std::string by = sweep::chosen_metric(tables, metric);
  if (by.empty()) return;
  const sweep::Quantity what = sweep::quantity(tables, by);
  const std::string best = best_text(tables, what);
  folder.write("best.txt", best);
  folder.write("report.html", report_html(tables, by));
  if (const auto figure = figure_of(tables, what)) folder.draw(*figure);
  fmt::print("{}", best);
  if (!pareto.empty()) {
    const std::size_t comma = std::min(pareto.find(','), pareto.size() - 1);
    const sweep::Quantity a = sweep::quantity(tables, pareto.substr(0, comma));
    const sweep::Quantity b = sweep::quantity(tables, pareto.substr(comma + 1));
    folder.draw(pareto_figure(tables, a, b));
    fmt::print("Pareto front of {} and {}:\n", a.name, b.name);
    for (const sweep::Row* row : pareto_front(tables, a, b))
      fmt::print("  {:>14.6g} {:>14.6g}  {}\n", *value_of(tables, *row, a), *value_of(tables, *row, b),
                 fmt::join(row->values, " "));
  }
  (void)std::fflush(stdout);
}

ExitCode merge(const Arguments& arguments) {
  std::string dir;
  std::string metric;
  std::string pareto;
  po::options_description all{"options of kbsim sweep merge"};
  auto add = all.add_options();
  add("dir", po::value(&dir)->value_name("DIR")->required(), "the folder of a sweep's results");
  describe_tables(add, metric, pareto);
  parse_options(arguments, all,
                {.usage = "kbsim sweep merge DIR [options]", .examples = "", .positional = "dir"});
  std::error_code error;
  if (!fs::is_directory(dir, error))
    throw UsageError{fmt::format("{}: no such folder, expected what kbsim sweep wrote with --out", dir)};
  make_tables(dir, metric, pareto);
  return ExitCode::ok;
}

std::vector<std::size_t> missing_of(const Sweep& all, const sweep::Cache& cache) {
  std::vector<std::size_t> missing;
  for (const std::size_t i : all.which) {
    const sweep::Record* known = cache.of_request(all.requests[i]);
    if (known == nullptr || !stands(*known, all.pool)) missing.push_back(i);
  }
  return missing;
}

std::string time_text(double seconds) {
  if (seconds < 120.0) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60.0);
}

// By results that are there, or by four points that are simulated for it; --dry-run keeps nothing.
std::string expected_time(const Sweep& all, sweep::Cache& cache) {
  constexpr std::size_t kTried = 4;
  constexpr double kLongest = 20.0;
  const std::vector<std::size_t> missing = missing_of(all, cache);
  if (missing.empty()) return "all are known: nothing runs";
  std::string by = "by results of alike points";
  if (!sweep::seconds_for(all.plan, all.requests, missing, cache, all.pool.jobs)) {
    std::vector<std::size_t> tried;
    for (const std::size_t i : spread(missing.size(), kTried)) tried.push_back(missing[i]);
    sweep::PoolOptions scratch = all.pool;
    scratch.out.clear();
    scratch.timeout = kLongest;
    scratch.progress = false;
    (void)sweep::run_points(all.plan, all.requests, tried, cache, all.run, scratch);
    by = fmt::format("by {} of them, simulated for it", tried.size());
  }
  const auto seconds = sweep::seconds_for(all.plan, all.requests, missing, cache, all.pool.jobs);
  if (!seconds) return fmt::format("{} to run, for how long isn't known", missing.size());
  return fmt::format("{} to run: about {} with {} at a time ({})", missing.size(), time_text(*seconds),
                     all.pool.jobs, by);
}

ExitCode show(const Sweep& all, sweep::Cache& cache) {
  std::vector<std::string> names;
  for (const sweep::Axis& axis : all.plan.axes) names.push_back(axis.name);
  fmt::print("point,{}\n", fmt::join(names, ","));
  for (const std::size_t i : all.which)
    fmt::print("{},{}\n", i, fmt::join(values_of(all.plan, all.plan.points[i]), ","));
  fmt::print("{} points, {}\n", all.which.size(), expected_time(all, cache));
  (void)std::fflush(stdout);
  return ExitCode::ok;
}

void print_tally(const sweep::Tally& tally, bool quiet) {
  fmt::print("{} points: {} known, {} ran, {} failed\n", tally.points, tally.known, tally.ran, tally.failed);
  if (tally.busy > 0.0 && !quiet) {
    constexpr std::size_t kMany = 50;
    const std::string guess = tally.ran < kMany
                                  ? ""
                                  : fmt::format("; after a tenth {:.3g} s were expected and {:.3g} s came",
                                                tally.tenth_guess, tally.tenth_left);
    say("{:.3g} s, {:.1f} points a second, {:.0f} % of the workers' time in simulations{}\n", tally.wall,
        static_cast<double>(tally.ran) / tally.wall, 100.0 * tally.simulating / tally.busy, guess);
  }
  (void)std::fflush(stdout);
}

fs::path made(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UsageError{fmt::format("--out: {}: {}", folder.string(), error.message())};
  return folder;
}

// A whole sweep has the folder for itself; shards each have their own name in it.
fs::path locked_part(const SweepOptions& o) {
  if (o.shard.empty()) return o.out;
  std::string name = o.shard;
  std::ranges::replace(name, '/', '-');
  return made(fs::path{o.out} / "shards" / name);
}

// Every so many of the points that have ended well.
void verify(const SweepOptions& o, const Sweep& all, sweep::Cache& cache) {
  std::vector<std::size_t> ended;
  for (const std::size_t i : all.which) {
    const sweep::Record* known = cache.of_request(all.requests[i]);
    if (known != nullptr && known->end == sweep::End::done) ended.push_back(i);
  }
  const double share = share_of(o.verify);
  if (share == 0.0 || ended.empty()) return;
  const auto n = static_cast<std::size_t>(std::ceil(share * static_cast<double>(ended.size())));
  std::vector<std::size_t> some;
  for (const std::size_t i : sweep::drawn(ended.size(), n, 1)) some.push_back(ended[i]);
  const auto found = verify_points(all.plan, all.requests, some, cache, all.run, all.pool);
  fmt::print("{} points ran once more: {} differ\n", some.size(), found.size());
  if (found.empty()) return;
  const sweep::Difference& first = found.front();
  throw Error{ExitCode::wrong_values,
              fmt::format("point {}: {} at first, {} once more: {}", first.point, first.then, first.now,
                          command_of(all.plan, all.plan.points[first.point]))};
}

// Says of which points the tables, figures and the page are.
fs::path stamp_in(const std::string& out) { return sweep::records_folder(out) / "tables.of"; }

std::string stamp_of(const Sweep& all) {
  return fmt::format("{:016x}\n", std::hash<std::string>{}(fmt::format("{}", fmt::join(all.requests, "\n"))));
}

bool has_tables(const SweepOptions& o, const Sweep& all) {
  std::ifstream stamp{stamp_in(o.out)};
  const std::string text{std::istreambuf_iterator<char>{stamp}, {}};
  std::error_code error;
  return text == stamp_of(all) && std::ranges::all_of(kTables, [&](const char* file) {
           return fs::exists(fs::path{o.out} / file, error);
         });
}

// However a sweep ends, the other ranks go home.
class Dismissal {
 public:
  explicit Dismissal(sweep::Ranks* ranks) : ranks_{ranks} {}
  ~Dismissal() {
    if (ranks_ != nullptr) dismiss(*ranks_);
  }
  Dismissal(const Dismissal&) = delete;
  Dismissal& operator=(const Dismissal&) = delete;

 private:
  sweep::Ranks* ranks_;
};

ExitCode run_sweep(const SweepOptions& o, const Sweep& all) {
  made(sweep::records_folder(o.out));
  auto lock = std::make_unique<report::FolderLock>(locked_part(o));
  (void)write_plan(o.out, all.plan, all.requests);
  sweep::Cache cache{o.out};
  if (cache.damaged() > 0)
    say("kbsim: {}: {} damaged records are left out, their points run again\n", o.out, cache.damaged());
  const sweep::Tally tally = sweep::run_points(all.plan, all.requests, all.which, cache, all.run, all.pool);
  print_tally(tally, o.quiet);
  if (!tally.full.empty())
    throw UsageError{fmt::format("{}; {} points have ended and are kept: run it again when there is room",
                                 tally.full, tally.known + tally.ran)};
  if (tally.interrupted) return ExitCode::interrupted;
  verify(o, all, cache);
  lock.reset();
  const bool again = tally.ran == 0 && has_tables(o, all) && o.metric.empty() && o.pareto.empty();
  if (!o.shard.empty() || again) return ExitCode::ok;
  make_tables(o.out, o.metric, o.pareto);
  report::write_file(stamp_in(o.out), stamp_of(all));
  return ExitCode::ok;
}

}  // namespace

ExitCode sweep_command(const Arguments& given) {
  if (!given.empty() && given.front() == "merge") return merge({given.begin() + 1, given.end()});
  SweepOptions o;
  po::options_description all = description(o);
  const auto end = std::ranges::find(given, "--");
  const Arguments own{given.begin(), end};
  const Arguments rest{end == given.end() ? end : end + 1, given.end()};
  parse_options(own, all, {.usage = kUsage, .examples = kSweepExamples, .positional = "plan"});
  if (o.out.empty() && !o.dry_run) throw UsageError{"--out is missing: the folder of results"};
  const std::unique_ptr<kbsim::sweep::Ranks> ranks = started_ranks();
  const kbsim::sweep::PoolOptions pool = pool_of(o, ranks.get());
  (void)share_of(o.verify);
  if (!o.pareto.empty() && o.pareto.find(',') == std::string::npos)
    throw UsageError{fmt::format("--pareto {}: expected A,B", o.pareto)};
  const sweep::Plan plan = plan_of(o, rest);
  load_plugins(plan.words);
  require_readable(plan);
  const Sweep sweep{.plan = plan,
                    .requests = requests_of(plan, o.links),
                    .which = shard_of(o.shard, plan.points.size()),
                    .run = point_runner(plan.words, o.links),
                    .pool = pool};
  if (ranks && ranks->rank() > 0) {
    serve(*ranks, plan, sweep.requests, sweep.run, o.dry_run ? "" : o.out);
    return ExitCode::ok;
  }
  const Dismissal at_the_end{ranks.get()};
  if (!o.dry_run) return run_sweep(o, sweep);
  kbsim::sweep::Cache cache = o.out.empty() ? kbsim::sweep::Cache{} : kbsim::sweep::Cache{o.out};
  return show(sweep, cache);
}

}  // namespace kbsim::app
