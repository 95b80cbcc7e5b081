// The printed text and the files of kbsim run.
#include "run_results.hpp"

#include <cstdio>
#include <iostream>
#include <ranges>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/evaluate/option_json.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/launches.hpp"
#include "kbsim/report/orders.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/use.hpp"

#include "bench_options.hpp"

namespace kbsim::app {
namespace {

// Counts of links, units and orders up to a time.
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
          .configuration = report::configuration_text(session.spec(), &session.ccl()),
          .options = evaluate::to_json(options_of_bench(options.bench), options.own),
          .whole = whole};
}

}  // namespace

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
  if (!outcome.report.correct) all["wrong"] = outcome.report.wrong;
  if (!options.timing_only && options.race != oplog::RaceMode::off) all["races"] = outcome.races;
  if (outcome.by_launch) all["launches"] = outcome.launches;
  if (options.verify_data)
    all["tensors"] = boost::json::array(outcome.report.tensors.begin(), outcome.report.tensors.end());
  if (log) all["oplog"] = to_json(*log);
  return all;
}

namespace {

// Documents have all explanations.
Purpose purpose_of(const RunOptions& options) {
  const bool kept = options.kept != nullptr && options.kept->with_explanation;
  return {.wanted = options.explain,
          .whole = kept || options.json || !options.out.empty(),
          .rechecked = options.recheck};
}

}  // namespace

Results results_of(const RunOptions& options, host::Session& session, BenchReport report,
                   const explain::OpMarks& marks) {
  const std::size_t races = session.machine().races().reports().size();
  const bool by_launch = !has_rows(report);
  Results found{.report = std::move(report), .by_launch = by_launch, .races = races};
  if (by_launch) found.launches = report::launch_rows(hw::host_of(session.machine()).orders());
  found.explained = explanations_of(session, purpose_of(options), marks,
                                    options.explain_of.value_or(explain::PathQuestion{}));
  return found;
}

std::optional<LogChecksums> log_of(const RunOptions& options, host::Session& session) {
  if (options.oplog.empty()) return std::nullopt;
  write_log(options.oplog, session.log());
  if (!options.quiet) report::say_written(options.oplog);
  return checksums(session.log(), session.replay());
}

void write_results(const report::OutputFolder& folder, const RunOptions& options, const Arguments& arguments,
                   host::Session& session, const Results& outcome, const report::RunSummary& summary,
                   const std::optional<LogChecksums>& log) {
  const hw::Machine& machine = session.machine();
  folder.write("summary.json", to_json(options, outcome, summary, machine.fabric().attribution(), log));
  folder.write("results.csv", outcome.by_launch ? report::launches_csv(outcome.launches)
                                                : report::to_csv(rows_of(outcome.report)));
  write_counts(folder, session, summary.simulated);
  if (options.explain || is_recorded(options))
    folder.write("explain.json", to_json(outcome.explained, session));
  folder.write_run(record_of(options, arguments, session, true), summary);
}

void write_partial_results(const report::OutputFolder& folder, const RunOptions& options,
                           const Arguments& arguments, host::Session& session, report::RunSummary summary) {
  const hw::Machine& machine = session.machine();
  summary.digest = {};  // a part of a run has nothing to compare
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
  write_counts(folder, session, summary.simulated);
  folder.write_run(record_of(options, arguments, session, false), summary);
}

void print_results(const RunOptions& options, host::Session& session, const Results& outcome,
                   const report::RunSummary& summary, const std::optional<LogChecksums>& log) {
  const hw::Attribution& messages = session.machine().fabric().attribution();
  if (options.json) {
    boost::json::object all = to_json(options, outcome, summary, messages, log);
    if (options.explain) all["explain"] = to_json(outcome.explained, session);
    std::cout << json_as_utf8(boost::json::serialize(all)) << '\n';
  } else {
    fmt::print("{}", outcome.report.text);
    fmt::print("{}", report::launches_text(outcome.launches));
    for (const std::string& line : outcome.report.tensors) fmt::print("  {}\n", line);
    fmt::print(" {}\n", report::to_text(messages));
    if (options.timing_only) fmt::print(" not checked (--timing-only)\n");
    if (log) fmt::print("{}\n", to_text(*log));
    if (options.explain) fmt::print("{}", to_text(outcome.explained));
    std::fflush(stdout);
  }
  if (!options.quiet) say("{}{}\n", report::to_text(summary), options.unnamed_topology);
}

void print_races(const std::vector<std::string>& races) {
  constexpr std::size_t kMany = 10;
  for (const std::string& line : races | std::views::take(kMany)) say("warning: {}\n", line);
  if (races.size() > kMany) say("and {}\n", counted(races.size() - kMany, "more data race"));
}

}  // namespace kbsim::app
