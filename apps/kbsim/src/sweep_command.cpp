// kbsim sweep: the points of a plan, on all cores.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/sweep/estimate.hpp"
#include "kbsim/sweep/fingerprint.hpp"
#include "kbsim/sweep/readable.hpp"
#include "kbsim/sweep/shares.hpp"
#include "kbsim/sweep/sweep.hpp"
#include "kbsim/sweep/worker_ranks.hpp"

#include "commands.hpp"
#include "config_folders.hpp"
#include "mpi_start.hpp"
#include "parse_options.hpp"
#include "plugins.hpp"
#include "result_folder.hpp"
#include "sweep_options.hpp"
#include "sweep_point.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

void print_text(const std::string& text) {
  fmt::print("{}", text);
  (void)std::fflush(stdout);
}

void require_pair(const std::string& pareto) {
  if (pareto.empty()) return;
  const std::size_t comma = pareto.find(',');
  if (comma == std::string::npos) throw UsageError{fmt::format("--pareto {}: expected A,B", pareto)};
  if (pareto.substr(0, comma) == pareto.substr(comma + 1))
    throw UsageError{fmt::format("--pareto {}: expected two that differ; --metric takes one", pareto)};
}

ExitCode merge(const Arguments& arguments) {
  std::string dir;
  sweep::TableOptions tables;
  po::options_description all{"options of kbsim sweep merge"};
  auto add = all.add_options();
  add("dir", po::value(&dir)->value_name("DIR")->required(), "the folder of a sweep's results");
  describe(tables, add);
  parse_options(arguments, all,
                {.usage = "kbsim sweep merge DIR [options]", .examples = "", .positional = "dir"});
  require_pair(tables.pareto);
  require_results(dir, "kbsim sweep");
  if (!is_sweep(dir))
    throw UsageError{fmt::format("{}: isn't what kbsim sweep wrote with --out: it has no plan.json", dir)};
  print_text(write_result_files(dir, report::OutputFolder{dir}, tables));
  report::say_results(dir);
  return ExitCode::ok;
}

std::vector<std::string> requests_of(const sweep::Plan& plan, bool links, sweep::Requests& requests) {
  std::vector<std::string> all;
  for (const sweep::Point& point : plan.points) {
    Arguments words = words_of(plan, point);
    if (links) words.emplace_back("--links");
    all.push_back(requests.of(words));
  }
  return all;
}

ExitCode show_points(const sweep::Sweep& sweep) {
  sweep::Cache cache = sweep.pool.out.empty() ? sweep::Cache{} : sweep::Cache{sweep.pool.out};
  print_text(dry_run_text(sweep, cache));
  return ExitCode::ok;
}

// Refuses mistakes that are known before a plan is read.
void require_sound(const SweepOptions& o) {
  if (o.out.empty() && !o.dry_run) throw UsageError{"--out is missing: the folder of results"};
  report::require_folder("--out", o.out);
  require_pair(o.tables.pareto);
  const char* by = !o.tables.metric.empty() ? "metric" : !o.tables.pareto.empty() ? "pareto" : nullptr;
  if (by != nullptr && !o.shard.empty())
    throw UsageError{fmt::format("--{}: a shard makes no tables; it is an option of kbsim sweep merge", by)};
}

ExitCode run_plan(const SweepOptions& o, const Arguments& rest) {
  const StopSignals signals;
  const std::unique_ptr<sweep::Ranks> ranks = started_ranks();
  sweep::PoolOptions pool = pool_of(o, ranks.get());
  const double verified = sweep::verified_share(o.verify);
  const sweep::Plan plan = plan_of(o, rest);
  load_plugins(plan.words);
  sweep::Requests files{config_folders(), {"ccl.yaml"}};
  std::vector<std::string> requests = requests_of(plan, o.links, files);
  require_readable(plan, check_point);
  pool.changed = [&files] { return files.changed(); };
  if (!o.tables.metric.empty() || !o.tables.pareto.empty())
    pool.lacks = [&](const std::string& document) { return missing_metric(o.tables, plan, document); };
  const sweep::Sweep all{.plan = plan,
                         .requests = std::move(requests),
                         .which = sweep::shard_of(o.shard, plan.points.size()),
                         .run = point_runner(plan.words, o.links),
                         .pool = pool,
                         .shard = o.shard,
                         .verified = verified,
                         .quiet = o.quiet,
                         .tables = o.tables};
  if (ranks && ranks->rank() > 0) {
    if (o.dry_run) pool.out.clear();
    serve(*ranks, plan, all.requests, all.run, pool);
    return ExitCode::ok;
  }
  const sweep::Dismissal at_the_end{ranks.get()};
  return o.dry_run ? show_points(all) : run_sweep(all);
}

// A plan comes first, as the only argument without an option.
void require_no_near_merge(const Arguments& given) {
  if (given.empty() || given.front().starts_with('-')) return;
  std::error_code ignored;
  const std::string hint = near_hint(given.front(), {"merge"});
  if (!hint.empty() && !fs::exists(given.front(), ignored))
    throw UsageError{fmt::format("sweep: there is no file '{}'{}", given.front(), hint)};
}

}  // namespace

ExitCode sweep_command(const Arguments& given) {
  if (!given.empty() && given.front() == "merge") return merge({given.begin() + 1, given.end()});
  require_no_near_merge(given);
  SweepOptions o;
  po::options_description all = description(o);
  const auto end = std::ranges::find(given, "--");
  const Arguments own{given.begin(), end};
  const Arguments rest{end == given.end() ? end : end + 1, given.end()};
  parse_options(
      own, all,
      {.usage = kSweepUsage,
       .examples = kSweepExamples,
       .positional = "plan",
       .elsewhere =
           "; options of kbsim run and of the bench come after --, or are varied: --vary OPTION=VALUES",
       .groups = {{"plan", "plan"}, {"results", "out"}, {"all commands", "color"}}});
  require_sound(o);
  return run_plan(o, rest);
}

}  // namespace kbsim::app
