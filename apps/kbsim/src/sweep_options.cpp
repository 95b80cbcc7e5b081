// The options of kbsim sweep, and what they ask for.
#include "sweep_options.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/process_memory.hpp"

#include "machine_options.hpp"
#include "parse_options.hpp"
#include "size_option.hpp"
#include "whole_option.hpp"

namespace kbsim::app {

namespace po = boost::program_options;

const std::string kSweepUsage =
    "kbsim sweep [PLAN.yaml] [options] --out DIR [-- arguments of the bench]\n"
    "       kbsim sweep merge DIR [--metric NAME] [--pareto A,B]";

const std::string kSweepExamples = R"(
A value of --set that is a list or a range is an axis: 128,256,512 or 2..8 or
1..9+2 (1 3 5 7 9) or 2..16*2 (2 4 8 16) or 1..100 random 5 seed 1. The points
are all combinations of the axes' values.

examples:
  kbsim sweep --bench ccl_allreduce --set cube.noc.link_bw_gbs=128,256,512 --set system.sips.count=2..8*2 --out curve
  kbsim sweep --bench ccl --vary algorithm=ring_allreduce_tcm,tree_allreduce --set system.sips.count=2..8*2 --out algorithms -- -b 4K -e 4K
  kbsim sweep plan.yaml --out curve --dry-run
  kbsim sweep merge curve --pareto latency_ns,cube.noc.link_bw_gbs
)";

namespace {

void describe_plan(SweepOptions& o, po::options_description_easy_init& add) {
  add("plan", po::value(&o.plan)->value_name("FILE"), "a plan: bench, arguments and axes as YAML");
  add("bench", po::value(&o.bench)->value_name("NAME"), "the bench that every point runs; see kbsim list");
  add("topology", po::value(&o.topology)->value_name("FILE"), "the machine (default: topology.yaml)");
  add("ccl", po::value(&o.ccl)->value_name("FILE"), "collective algorithms (default: as kbsim run has them)");
  add("plugin", po::value(&o.plugins)->value_name("FILE")->composing(),
      "a shared object of your own; repeatable");
  add("set", po::value(&o.set)->value_name("KEY=VALUES")->composing(),
      "a setting of all points, or if it has several values, an axis; repeatable");
  add("vary", po::value(&o.vary)->value_name("OPTION=VALUES")->composing(),
      "an axis of an option of the bench or of kbsim run, e.g. algorithm=a,b; repeatable");
  add("zip", po::value(&o.zip)->value_name("A,B")->composing(),
      "axes with equal numbers of values that vary together, not in all combinations; repeatable");
  add("where", po::value(&o.where)->value_name("CONDITION")->composing(),
      "only points that fulfil the condition, e.g. 'cube.w * cube.h <= 16 and algorithm != \"x\"'; "
      "repeatable");
  add("random", po::value(&o.random)->value_name("\"N seed S\""), "N of the points, drawn by seed");
}

void describe_runs(SweepOptions& o, po::options_description_easy_init& add) {
  add("out", po::value(&o.out)->value_name("DIR"),
      "the folder of results; points with results there don't run again");
  add("jobs", whole("jobs", "N", {1, 1024}, &o.jobs), "points that run at a time (default: one per core)");
  add("timeout", po::value<double>()->value_name("SECONDS")->notifier([&](double v) { o.timeout = v; }),
      "a point that takes longer fails (exit code 4 in its row)");
  add("memory", po::value(&o.memory)->value_name("SIZE"),
      "memory of all points that run at a time (default: three quarters of the machine's)");
  add("shard", po::value(&o.shard)->value_name("I/N"),
      "the I-th of N parts of the points: for job arrays; kbsim sweep merge DIR then makes the tables");
  add("verify", po::value(&o.verify)->value_name("N%"),
      "run N % of the points once more, in other processes: digests must agree, else exit code 7");
  describe(o.tables, add);
  add("links", po::bool_switch(&o.links), "keep the traffic of each link at each point, for the table links");
  add("dry-run", po::bool_switch(&o.dry_run), "print the points and their expected time, and run nothing");
  add("quiet", po::bool_switch(&o.quiet), "print no progress and no names of written files on stderr");
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

}  // namespace

void describe(sweep::TableOptions& o, po::options_description_easy_init& add) {
  add("metric", po::value(&o.metric)->value_name("NAME"),
      "number that the figure and the best point go by (default: latency or time, of the first row); "
      "results.csv has "
      "the names");
  add("pareto", po::value(&o.pareto)->value_name("A,B"),
      "list the points that no other beats in both metrics, or in a metric and a numeric axis; max:A: larger "
      "is better");
}

po::options_description description(SweepOptions& o) {
  po::options_description all{"options of kbsim sweep"};
  auto add = all.add_options();
  describe_plan(o, add);
  describe_runs(o, add);
  return all;
}

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
    draft.vary(name.starts_with("--") ? name : "--" + name, {.text = values, .at = said("vary", text)});
  }
  for (const std::string& text : o.zip) draft.zips.push_back({.text = text, .at = said("zip", text)});
  for (const std::string& text : o.where) draft.where.push_back({.text = text, .at = said("where", text)});
  if (!o.random.empty()) draft.random = sweep::Placed{.text = o.random, .at = said("random", o.random)};
  if (!is_given(draft.words, "--topology") && !varies(draft, "--topology"))
    draft.words.insert(draft.words.begin(), {"--topology", kUsualTopology});
  return sweep::plan_of(draft);
}

// Ranks of a host share its memory.
sweep::PoolOptions pool_of(const SweepOptions& o, sweep::Ranks* ranks) {
  if (o.timeout && !(*o.timeout > 0.0))
    throw UsageError{fmt::format("--timeout must be above 0 s, got {}", *o.timeout)};
  const Bytes memory = o.memory.empty() ? memory_limit() : size_given("--memory", o.memory);
  if (memory < 16_MiB) throw UsageError{fmt::format("--memory must be at least 16 MiB, got '{}'", o.memory)};
  const unsigned cores = ranks != nullptr ? 1 : std::max(1U, std::thread::hardware_concurrency());
  return {.out = o.out,
          .jobs = o.jobs ? static_cast<unsigned>(*o.jobs) : cores,
          .timeout = o.timeout.value_or(0.0),
          .memory = memory,
          .progress = !o.quiet,
          .ranks = ranks};
}

}  // namespace kbsim::app
