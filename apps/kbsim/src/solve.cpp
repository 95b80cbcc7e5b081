// kbsim solve: the cheapest setting that meets a target.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/explain/difference.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/sweep/search.hpp"

#include "commands.hpp"
#include "parse_options.hpp"
#include "solve_slots.hpp"
#include "solve_target.hpp"
#include "trials.hpp"

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
A setting costs the sum of weight x value over its keys. Without --cost a key weighs 1 / its least value; a time
or a number of cycles -1 / its greatest: less of it is dearer. What stands behind -- is of all runs.

examples:
  kbsim solve --bench ccl_allreduce --target 'latency<=600ns' --vary sip.ucie.overhead_ns=1..8 --vary cube.noc.router.overhead_ns=0.25..1+0.25
  kbsim solve --bench gemm_single_pe --target 'composite_window<=6us' --vary cube.xbar_to_hbm_bw_gbs=256..1024 --cost cube.xbar_to_hbm_bw_gbs=2
  kbsim solve --what slots --bench ccl --algorithm chunked_ring_allreduce -b 1M -e 1M
)";

po::options_description description(SolveOptions& o) {
  po::options_description all{"options of kbsim solve"};
  auto add = all.add_options();
  add("target", po::value(&o.target)->value_name("METRIC<=VALUE"),
      "what a setting must meet, with a unit: latency<=20us, bus_bw>=40GB/s; an unknown metric is told those "
      "there are");
  add("vary", po::value(&o.vary)->value_name("KEY=VALUES")->composing(),
      "a key and its values, a list or a range as kbsim sweep takes it; repeatable");
  add("cost", po::value(&o.cost)->value_name("KEY=WEIGHT")->composing(),
      "what a unit of the key costs; negative: less of it is dearer; repeatable");
  add("runs", po::value(&o.runs)->value_name("N")->default_value(100),
      "simulations at most; of more settings some are ruled out by what is assumed of costs");
  add("what", po::value(&o.question)->value_name("slots"),
      "in place of a target: the fewest slots with which the algorithm runs, and from which on it is no "
      "faster");
  add("metric", po::value(&o.metric)->value_name("NAME"),
      "of --what slots: what is to get no better (default: latency or time)");
  add("jobs", po::value(&o.jobs)->value_name("N"), "runs at a time (default: one a core)");
  add("json", po::bool_switch(&o.json), "print the answer as JSON, and nothing else, on stdout");
  add("out", po::value(&o.out)->value_name("DIR"), "write solve.json and solve.csv, all that was run, there");
  add("quiet", po::bool_switch(&o.quiet), "no progress on stderr");
  return all;
}

void require_numbers(const SolveOptions& o) {
  constexpr std::int64_t kMostRuns = 10'000;
  constexpr std::int64_t kMostJobs = 1024;
  if (o.runs < 1 || o.runs > kMostRuns)
    throw UsageError{fmt::format("--runs must be 1 to {}, got {}", kMostRuns, o.runs)};
  if (o.jobs < 0 || o.jobs > kMostJobs)
    throw UsageError{fmt::format("--jobs must be 1 to {}, got {}", kMostJobs, o.jobs)};
}

void parse(const Arguments& own, SolveOptions& o) {
  po::options_description all = description(o);
  parse_options(own, all,
                {.usage = "kbsim solve [arguments of kbsim run] --target METRIC<=VALUE --vary KEY=VALUES ... "
                          "[options]\n       kbsim solve --what slots [arguments of kbsim run]",
                 .examples = std::string{kSolveExamples}});
  require_numbers(o);
  if (!o.question.empty() && o.question != "slots")
    throw UsageError{fmt::format("--what must be slots, got '{}'", o.question)};
  if (o.question.empty() && (o.target.empty() || o.vary.empty()))
    throw UsageError{"solve: --target METRIC<=VALUE and --vary KEY=VALUES are missing, or --what slots"};
  if (!o.question.empty() && !(o.target.empty() && o.vary.empty() && o.cost.empty()))
    throw UsageError{"--what slots has no --target, --vary and --cost"};
  if (o.question.empty() && !o.metric.empty()) throw UsageError{"--metric: --target names its metric"};
  report::require_folder(o.out);
}

// The settings of a search as trials, and what each found.
class Solver {
 public:
  Solver(Trials& trials, std::vector<sweep::SearchAxis> axes, Target target)
      : trials_{trials}, axes_{std::move(axes)}, target_{std::move(target)} {}

  [[nodiscard]] Trial trial_of(const sweep::Point& point) const {
    Trial trial;
    for (std::size_t i = 0; i < point.size(); ++i) {
      const std::string setting = fmt::format("{}={:.12g}", axes_[i].name, axes_[i].values[point[i]]);
      trial.name += (trial.name.empty() ? "" : " ") + setting;
      trial.words.insert(trial.words.end(), {"--set", setting});
    }
    return trial;
  }

  std::vector<sweep::Probe> simulate(const std::vector<sweep::Point>& points) {
    std::vector<Trial> all;
    for (const sweep::Point& point : points) all.push_back(trial_of(point));
    const std::vector<std::optional<TrialResult>> results = trials_.run(all);
    std::vector<sweep::Probe> probes;
    for (std::size_t i = 0; i < points.size(); ++i) probes.push_back(probe_of(points[i], results[i]));
    return probes;
  }

  // By the run's critical path, each of its terms evaluated anew.
  [[nodiscard]] double predicted(const sweep::Point& from, const sweep::Point& to) const {
    const Known& known = known_.at(from);
    if (!known.path || known.path->length <= Time{0}) return known.number;
    Time change{};
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto key = std::ranges::find(known.path->keys, axes_[i].name, &explain::Derivative::key);
      if (from[i] != to[i] && key != known.path->keys.end()) change += key->change(axes_[i].values[to[i]]);
    }
    const double times = std::max(1e-3, 1.0 + to_ns(change) / to_ns(known.path->length));
    return target_.bound.at_least ? known.number / times : known.number * times;
  }

  [[nodiscard]] const std::vector<sweep::SearchAxis>& axes() const { return axes_; }
  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] std::string message_of(const sweep::Point& point) const {
    const auto found = refusals_.find(point);
    return found == refusals_.end() ? "" : found->second;
  }

 private:
  struct Known {
    double number = 0.0;
    std::optional<explain::PathRecord> path = {};
  };

  sweep::Probe probe_of(const sweep::Point& point, const std::optional<TrialResult>& result) {
    if (!result) return {.ended = false};
    const sweep::Metric* metric = metric_named(result->metrics, target_.metric);
    if (result->exit != 0 || metric == nullptr) {
      refusals_[point] = fmt::format("exit code {}: {}", result->exit,
                                     result->message.substr(0, result->message.find('\n')));
      return {};
    }
    Known known{.number = metric->value};
    if (const json::value* explanation = result->document.if_contains("explain")) {
      std::vector<explain::PathRecord> paths = explain::paths_in(*explanation, "a run");
      if (!paths.empty()) known.path = std::move(paths.front());
    }
    known_[point] = std::move(known);
    return {.number = metric->value};
  }

  Trials& trials_;
  std::vector<sweep::SearchAxis> axes_;
  Target target_;
  std::map<sweep::Point, Known> known_;
  std::map<sweep::Point, std::string> refusals_;
};

// What isn't a setting of this run is told before anything is simulated.
void require_readable(const Trials& trials, const Solver& solver) {
  sweep::Point cheapest(solver.axes().size(), 0);
  sweep::Point dearest;
  for (const sweep::SearchAxis& axis : solver.axes())
    dearest.push_back(static_cast<std::uint32_t>(axis.values.size() - 1));
  const std::string why = trials.why_refused(solver.trial_of(cheapest));
  if (!why.empty() && !trials.why_refused(solver.trial_of(dearest)).empty()) throw UsageError{why};
}

std::string proof_text(const sweep::SearchResult& found, std::size_t settings) {
  const std::size_t runs = found.simulated.size();
  switch (found.proof) {
    case sweep::Proof::simulated:
      return fmt::format("{} of {} settings simulated: all that are cheaper, so nothing is assumed\n", runs,
                         settings);
    case sweep::Proof::monotone:
      return fmt::format(
          "{} of {} settings simulated; of the cheaper others each is worse in every key than one that "
          "misses "
          "the target: assumed is that what costs more isn't slower\n",
          runs, settings);
    case sweep::Proof::open: break;
  }
  return fmt::format("{} of {} settings simulated; {} cheaper ones are open: more --runs may find one\n",
                     runs, settings, found.open);
}

// Simulations that speak against what was assumed.
std::string contradiction_text(const Solver& solver, const sweep::SearchResult& found, std::size_t settings) {
  if (!found.contradiction) return "";
  return fmt::format("that doesn't hold here: {} is worse than {}; --runs {} simulates all\n",
                     solver.trial_of(found.contradiction->first).name,
                     solver.trial_of(found.contradiction->second).name, settings);
}

std::string bound_text(const Target& target) {
  return fmt::format("{} {} {:g}{}", target.metric, target.bound.at_least ? ">=" : "<=", target.bound.value,
                     target.unit == "1" ? "" : " " + target.unit);
}

double number_of(const sweep::SearchResult& found, const sweep::Point& point) {
  const auto at = std::ranges::find(found.simulated, point, [](const auto& each) { return each.first; });
  return *at->second;
}

std::string answer_text(const Solver& solver, const Trials& trials, const sweep::SearchResult& found) {
  const std::optional<sweep::Point>& point = found.best ? found.best : found.nearest;
  std::string text = fmt::format("target {}\n", bound_text(solver.target()));
  if (!point)
    return text + "no setting runs\n" +
           fmt::format("  {}\n", solver.message_of(found.simulated.front().first));
  const double number = number_of(found, *point);
  const Trial trial = solver.trial_of(*point);
  if (found.best)
    text += "the cheapest setting that meets it\n";
  else
    text += fmt::format("no setting that was simulated meets it; the nearest misses it by {:.2f} %\n",
                        100.0 * solver.target().bound.miss(number));
  return text + fmt::format("  {}\n  {} {:.9g}{}, cost {:.6g}\n  {}\n", trial.name, solver.target().metric,
                            number, solver.target().unit == "1" ? "" : " " + solver.target().unit,
                            sweep::cost_of(solver.axes(), *point), trials.command_of(trial));
}

json::array rows_of(const Solver& solver, const sweep::SearchResult& found) {
  json::array rows;
  for (const auto& [point, number] : found.simulated) {
    json::object row;
    for (std::size_t i = 0; i < point.size(); ++i)
      row[solver.axes()[i].name] = solver.axes()[i].values[point[i]];
    row["cost"] = sweep::cost_of(solver.axes(), point);
    row[solver.target().metric] = number ? json::value(*number) : json::value(nullptr);
    row["meets"] = number && solver.target().bound.holds(*number);
    row["message"] = solver.message_of(point);
    rows.push_back(std::move(row));
  }
  return rows;
}

json::object to_json(const Solver& solver, const Trials& trials, const sweep::SearchResult& found) {
  constexpr std::array kProofs{"simulated", "monotone", "open"};
  const auto setting = [&](const std::optional<sweep::Point>& point) -> json::value {
    if (!point) return nullptr;
    const Trial trial = solver.trial_of(*point);
    return json::object{{"setting", trial.name},
                        {"cost", sweep::cost_of(solver.axes(), *point)},
                        {"value", number_of(found, *point)},
                        {"command", trials.command_of(trial)}};
  };
  return {{"schema_version", 1},
          {"target", bound_text(solver.target())},
          {"metric", solver.target().metric},
          {"unit", solver.target().unit},
          {"settings", sweep::size_of(solver.axes())},
          {"answer", setting(found.best)},
          {"nearest", setting(found.nearest)},
          {"proof", kProofs.at(static_cast<std::size_t>(found.proof))},
          {"open", found.open},
          {"contradicted", found.contradiction.has_value()},
          {"interrupted", trials.interrupted()},
          {"simulated", rows_of(solver, found)}};
}

void show(const SolveOptions& o, const json::object& document, const json::array& rows,
          const std::string& text) {
  if (const std::unique_ptr<report::OutputFolder> folder = report::folder_named(o.out)) {
    folder->write("solve.json", document);
    folder->write("solve.csv", report::to_csv(rows));
  }
  if (o.json)
    std::cout << json::serialize(document) << '\n';
  else
    fmt::print("{}", text);
  (void)std::fflush(stdout);
}

// The run as it is tells which metrics there are; a bench may need the keys that vary to run at all.
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

ExitCode solve_target(const SolveOptions& o, Trials& trials) {
  std::vector<sweep::SearchAxis> axes = axes_of(o.vary, o.cost);
  const auto most = static_cast<std::size_t>(o.runs);
  const std::size_t settings = sweep::size_of(axes);
  if (settings > most) trials.want_explanations();
  Solver solver{trials, std::move(axes), target_in(o.target, metrics_of(trials))};
  require_readable(trials, solver);
  const sweep::SearchResult found = sweep::search(
      {.axes = solver.axes(),
       .bound = solver.target().bound,
       .most = most,
       .at_a_time = at_a_time(o),
       .simulate = [&](const std::vector<sweep::Point>& points) { return solver.simulate(points); },
       .predict = [&](const sweep::Point& from,
                      const sweep::Point& to) { return solver.predicted(from, to); }});
  if (found.simulated.empty()) return ExitCode::interrupted;
  show(o, to_json(solver, trials, found), rows_of(solver, found),
       answer_text(solver, trials, found) + proof_text(found, settings) +
           contradiction_text(solver, found, settings));
  return trials.interrupted() ? ExitCode::interrupted : ExitCode::ok;
}

ExitCode solve_slots(const SolveOptions& o, Trials& trials, const Arguments& run) {
  const SlotsAnswer answer = slots_of(trials, run, o.metric);
  if (answer.found.tried.empty()) return ExitCode::interrupted;
  json::object document = to_json(answer);
  document["interrupted"] = trials.interrupted();
  show(o, document, rows_of(answer),
       to_text(answer) + (trials.interrupted() ? "interrupted: other numbers of slots weren't tried\n" : ""));
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
  return o.question.empty() ? solve_target(o, trials) : solve_slots(o, trials, words.run);
}

}  // namespace kbsim::app
