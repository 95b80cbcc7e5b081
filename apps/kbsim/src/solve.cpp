// kbsim solve: the cheapest setting that meets a target.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/utf8.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/sweep/search.hpp"

#include "commands.hpp"
#include "parse_options.hpp"
#include "solve_report.hpp"
#include "solve_slots.hpp"
#include "solve_target.hpp"
#include "solver.hpp"
#include "trials.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace json = boost::json;

struct SolveOptions {
  std::string target;
  std::vector<std::string> vary;
  std::vector<std::string> cost;
  std::string question;  // --what
  std::string metric;
  std::string out;
  std::int64_t runs = 100;
  std::int64_t jobs = 0;
  bool json = false;
  bool quiet = false;
};

constexpr std::string_view kSolveExamples = R"(
A setting costs the sum of weight x value over its keys. Without --cost a key
weighs 1 / its least value; a time or a number of cycles -1 / its greatest: less
of it is dearer. Arguments after -- are of all runs.

examples:
  kbsim solve --bench ccl_allreduce --target 'latency<=600ns' --vary sip.ucie.overhead_ns=1..8 --vary cube.noc.router.overhead_ns=0.25..1+0.25
  kbsim solve --bench gemm_single_pe --target 'composite_window<=6us' --vary cube.xbar_to_hbm_bw_gbs=256..1024 --cost cube.xbar_to_hbm_bw_gbs=2
  kbsim solve --what slots --bench ccl --algorithm chunked_ring_allreduce -b 1M -e 1M
)";

po::options_description description(SolveOptions& o) {
  po::options_description all{"options of kbsim solve"};
  auto add = all.add_options();
  add("target", po::value(&o.target)->value_name("METRIC<=VALUE"),
      "bound that a setting must meet, with a unit: latency<=20us, bus_bw>=40GB/s; an unknown metric prints "
      "the known ones");
  add("vary", po::value(&o.vary)->value_name("KEY=VALUES")->composing(),
      "a key and its values, a list or a range as kbsim sweep takes it; repeatable");
  add("cost", po::value(&o.cost)->value_name("KEY=WEIGHT")->composing(),
      "cost of one unit of the key; negative: smaller values cost more; repeatable");
  add("runs", whole("runs", "N", {2, 10'000}, &o.runs)->default_value(100),
      "largest number of simulations; with more settings, some are ruled out by assumptions about costs");
  add("what", po::value(&o.question)->value_name("slots"),
      "in place of a target: find the fewest slots with which the algorithm runs, and the fewest from "
      "which on it gets no faster");
  add("metric", po::value(&o.metric)->value_name("NAME"),
      "with --what slots: the number that gets no better (default: latency or time, of the first row)");
  add("jobs", whole("jobs", "N", {.most = 1024}, &o.jobs), "runs at a time (default 0: one per core)");
  add("json", po::bool_switch(&o.json), "print the answer as JSON, and nothing else, on stdout");
  add("out", po::value(&o.out)->value_name("DIR"), "folder for solve.json and solve.csv, all runs");
  add("quiet", po::bool_switch(&o.quiet), "print no progress and no names of written files on stderr");
  return all;
}

void parse(const Arguments& own, SolveOptions& o) {
  po::options_description all = description(o);
  parse_options(own, all,
                {.usage = "kbsim solve [arguments of kbsim run] --target METRIC<=VALUE --vary KEY=VALUES ... "
                          "[options]\n       kbsim solve --what slots [arguments of kbsim run]",
                 .examples = std::string{kSolveExamples},
                 .takes_run = true});
  if (!o.question.empty() && o.question != "slots")
    throw UsageError{fmt::format("--what must be slots, got '{}'", o.question)};
  if (o.question.empty() && (o.target.empty() || o.vary.empty()))
    throw UsageError{"solve: --target METRIC<=VALUE and --vary KEY=VALUES are missing, or --what slots"};
  if (!o.question.empty() && !(o.target.empty() && o.vary.empty() && o.cost.empty()))
    throw UsageError{"--what slots has no --target, --vary and --cost"};
  if (!o.question.empty() && option_given(own, "runs"))
    throw UsageError{"--what slots has no --runs: it halves steps until nothing is left open"};
  if (o.question.empty() && !o.metric.empty()) throw UsageError{"--metric: --target names its metric"};
  report::require_folder(o.out);
}

void show(const SolveOptions& o, const json::object& document, const json::array& rows,
          const std::string& text) {
  if (const std::unique_ptr<report::OutputFolder> folder = report::folder_named(o.out)) {
    folder->write("solve.json", document);
    folder->write("solve.csv", report::to_csv(rows));
  }
  if (o.json)
    std::cout << json_as_utf8(json::serialize(document)) << '\n';
  else
    fmt::print("{}", text);
  (void)std::fflush(stdout);
  if (!o.out.empty() && !o.quiet) report::say_results(o.out);
}

// The unchanged run shows which metrics there are.
std::vector<sweep::Metric> metrics_of(Trials& trials) {
  const std::optional<TrialResult> base = trials.run({Trial{}}).front();
  if (!base) throw Interrupted{"interrupted: the run as it is hasn't ended"};
  if (base->exit != 0)
    throw Error{static_cast<ExitCode>(base->exit), fmt::format("the run as it is: {}", base->message)};
  return base->metrics;
}

std::size_t at_a_time(const SolveOptions& o) {
  return o.jobs > 0 ? static_cast<std::size_t>(o.jobs) : std::max(1U, std::thread::hardware_concurrency());
}

// Refuses the run's own settings of keys that --vary varies: they would have no effect.
void require_no_setting(const Arguments& run, const std::vector<sweep::SearchAxis>& axes) {
  constexpr std::string_view kSet = "--set";
  for (std::size_t i = 0; i < run.size(); ++i) {
    std::string setting;
    if (run[i].starts_with("--set=")) setting = run[i].substr(kSet.size() + 1);
    if (run[i] == kSet && i + 1 < run.size()) setting = run[i + 1];
    const std::string key = setting.substr(0, setting.find('='));
    if (std::ranges::find(axes, key, &sweep::SearchAxis::name) != axes.end())
      throw UsageError{fmt::format("--set {}: --vary varies {}", setting, key)};
  }
}

ExitCode solve_target(const SolveOptions& o, Trials& trials, const Arguments& run) {
  std::vector<sweep::SearchAxis> axes = axes_of(o.vary, o.cost);
  require_no_setting(run, axes);
  const auto most = static_cast<std::size_t>(o.runs);
  if (sweep::size_of(axes) > most) trials.want_explanations();
  Solver solver{trials, std::move(axes), target_in(o.target, metrics_of(trials))};
  solver.require_readable();
  const sweep::SearchResult found = sweep::search(
      {.axes = solver.axes(),
       .bound = solver.target().bound,
       .most = most,
       .at_a_time = at_a_time(o),
       .simulate = [&](const std::vector<sweep::Point>& points) { return solver.simulate(points); },
       .predict = [&](const sweep::Point& from,
                      const sweep::Point& to) { return solver.predicted(from, to); }});
  if (found.simulated.empty()) throw Interrupted{"interrupted: no setting was simulated"};
  show(o, to_json(solver, found), rows_of(solver, found), to_text(solver, found));
  return trials.interrupted() ? ExitCode::interrupted : ExitCode::ok;
}

ExitCode solve_slots(const SolveOptions& o, Trials& trials, const Arguments& run) {
  const SlotsAnswer answer = slots_of(trials, run, o.metric);
  if (answer.found.tried.empty()) throw Interrupted{"interrupted: no number of slots was tried"};
  show(o, to_json(answer), rows_of(answer), to_text(answer));
  return trials.interrupted() ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace

ExitCode solve(const Arguments& given) {
  const MixedArguments words =
      divided(given, {"--target", "--vary", "--cost", "--runs", "--what", "--metric", "--jobs", "--out"},
              {"--json", "--quiet", "--help", "-h"});
  SolveOptions o;
  parse(words.own, o);
  Trials trials{words.run, {.jobs = static_cast<unsigned>(o.jobs), .quiet = o.quiet}};
  return o.question.empty() ? solve_target(o, trials, words.run) : solve_slots(o, trials, words.run);
}

}  // namespace kbsim::app
