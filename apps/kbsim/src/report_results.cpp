// The printed text and the files of kbsim run.
#include "report_results.hpp"

#include <cstdio>
#include <iostream>
#include <ranges>
#include <sstream>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/model_version.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/evaluate/option_json.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/launches.hpp"
#include "kbsim/report/memory_changes.hpp"
#include "kbsim/report/orders.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/use.hpp"

#include "device_option.hpp"

namespace kbsim::app {
namespace {

namespace json = boost::json;

// Counts of links, units and orders up to a time.
void write_counts(const ReadyRun& run, Time until) {
  const report::OutputFolder& folder = *run.folder;
  hw::Machine& machine = run.session.machine();
  folder.write("links.csv", report::links_csv(machine.fabric(), until));
  folder.write("units.csv", report::units_csv(machine, until));
  const std::vector<hw::OrderRecord> orders = hw::host_of(machine).orders();
  folder.write("orders.csv", report::orders_csv(orders, run.session.spec().pes_per_cube()));
  folder.write("memory.csv", report::memory_csv(run.session.memory_changes()));
  folder.write("launches.csv", report::launches_csv(report::launch_rows(orders)));
}

report::RunRecord record_of(const ReadyRun& run, bool whole) {
  const RunInputs& inputs = run.options.inputs;
  return {.command = "run",
          .arguments = run.options.outputs.arguments,
          .configuration = report::configuration_text(run.session.spec(), &run.session.ccl()),
          .options = evaluate::to_json(inputs.single->run.options(), inputs.own),
          .whole = whole};
}

// The files of --out.
void write_results(const ReadyRun& run, const Results& results) {
  const report::OutputFolder& folder = *run.folder;
  folder.write("summary.json", document_of(run, results));
  folder.write("results.csv", results.by_launch ? report::launches_csv(results.launches)
                                                : report::to_csv(rows_of(results.report)));
  write_counts(run, results.summary.simulated);
  if (run.options.watch.explain || is_recorded(run.options))
    folder.write("explain.json", to_json(results.explained, run.session));
  folder.write_run(record_of(run, true), results.summary);
}

void print_json(const ReadyRun& run, const Results& results) {
  json::object all = document_of(run, results);
  if (run.options.watch.explain) all["explain"] = to_json(results.explained, run.session);
  std::cout << json_as_utf8(json::serialize(all)) << '\n';
}

// A line of a bench in the role that its verdict gives it.
std::string judged(std::string_view line) {
  if (line.find("FAIL") != std::string_view::npos) return in_role(Role::bad, line);
  constexpr std::string_view kRight = " OK";
  if (!line.ends_with(kRight)) return std::string{line};
  line.remove_suffix(2);
  return std::string{line} + in_role(Role::good, "OK");
}

std::string judged_lines(const std::string& text) {
  std::istringstream lines{text};
  std::string all;
  for (std::string line; std::getline(lines, line);) all += judged(line) + "\n";
  return all;
}

void print_text(const ReadyRun& run, const Results& results) {
  const auto& [inputs, outputs, watch] = run.options;
  if (watch.explain) fmt::print("{}", answer_of(results.explained));
  fmt::print("{}", judged_lines(results.report.text));
  fmt::print("{}", report::launches_text(results.launches,
                                         outputs.wide ? report::Columns::all : report::Columns::usual));
  for (const std::string& line : results.report.tensors) fmt::print("  {}\n", judged(line));
  fmt::print(" {}\n", report::to_text(run.session.machine().fabric().attribution()));
  if (watch.timing_only) fmt::print(" not checked (--timing-only)\n");
  if (results.log) fmt::print("{}\n", to_text(*results.log));
  if (watch.explain) fmt::print("{}", rest_of(results.explained));
  std::fflush(stdout);
  if (outputs.wide && !results.by_launch)
    say("kbsim: --wide changes nothing here: {} prints no table\n", inputs.bench);
}

void print(const ReadyRun& run, const Results& results) {
  const RunOutputs& outputs = run.options.outputs;
  outputs.json ? print_json(run, results) : print_text(run, results);
  if (!outputs.quiet) say("{}{}\n", report::to_text(results.summary), outputs.unnamed_topology);
}

void keep(const ReadyRun& run, const Results& results) {
  KeptRun& kept = *run.options.outputs.kept;
  kept.summary = results.summary;
  kept.document = document_of(run, results);
  if (kept.with_links)
    kept.document["links"] = report::links_csv(run.session.machine().fabric(), results.summary.simulated);
  if (kept.with_explanation && run.options.watch.explain)
    kept.document["explain"] = to_json(results.explained, run.session);
}

void write(const ReadyRun& run, const Results& results) {
  if (run.folder == nullptr) return;
  const RunOutputs& outputs = run.options.outputs;
  write_results(run, results);
  if (!outputs.quiet) report::say_results(outputs.out, has_page(outputs));
}

// Results that can't be written, for lack of room, are printed all the same.
void write_and_print(const ReadyRun& run, const Results& results) {
  try {
    write(run, results);
  } catch (const UsageError&) {
    print(run, results);
    throw;
  }
  print(run, results);
}

// Exit code 7 always comes with a text about what is wrong.
void say_wrong(const ReadyRun& run, const BenchReport& report) {
  if (report.correct) return;
  say("{}\n", in_role(Role::bad,
                      fmt::format("kbsim: {}: values are wrong: {}", run.options.inputs.bench,
                                  report.wrong.empty() ? "the bench doesn't say which (BenchReport::wrong)"
                                                       : report.wrong),
                      stderr));
}

}  // namespace

json::object document_of(const ReadyRun& run, const Results& results) {
  const auto& [inputs, outputs, watch] = run.options;
  const BenchReport& report = results.report;
  json::object all{{"schema_version", 1},
                   {"version", KBSIM_VERSION},
                   {"model_version", kModelVersion},
                   {"bench", inputs.bench},
                   {"topology", inputs.machine.topology},
                   {"checked", !watch.timing_only},
                   {"correct", watch.timing_only ? json::value(nullptr) : json::value(report.correct)},
                   {"result", report.json.object()},
                   {"messages", report::to_json(run.session.machine().fabric().attribution())},
                   {"run", report::to_json(results.summary)}};
  if (!report.correct) all["wrong"] = report.wrong;
  if (!watch.timing_only && watch.race != oplog::RaceMode::off) all["races"] = results.races;
  if (results.by_launch) all["launches"] = results.launches;
  if (watch.verify_data) all["tensors"] = json::array(report.tensors.begin(), report.tensors.end());
  if (results.log) all["oplog"] = to_json(*results.log);
  return all;
}

void write_only(const ReadyRun& run, const Results& results) {
  if (run.folder != nullptr) write_results(run, results);
}

ExitCode report_results(const ReadyRun& run, const Results& results) {
  if (run.options.outputs.kept != nullptr) {
    keep(run, results);
  } else {
    write_and_print(run, results);
    say_wrong(run, results.report);
  }
  return results.report.correct ? ExitCode::ok : ExitCode::wrong_values;
}

void write_partial_results(const ReadyRun& run) {
  if (run.folder == nullptr) return;
  const RunInputs& inputs = run.options.inputs;
  report::RunSummary summary = summary_of(run);
  summary.digest = {};  // a part of a run has nothing to compare
  run.folder->write("summary.json",
                    json::object{{"schema_version", 1},
                                 {"version", KBSIM_VERSION},
                                 {"model_version", kModelVersion},
                                 {"bench", inputs.bench},
                                 {"topology", inputs.machine.topology},
                                 {"interrupted", true},
                                 {"correct", nullptr},
                                 {"result", nullptr},
                                 {"messages", report::to_json(run.session.machine().fabric().attribution())},
                                 {"run", report::to_json(summary)}});
  write_counts(run, summary.simulated);
  run.folder->write_run(record_of(run, false), summary);
}

void print_races(const std::vector<std::string>& races) {
  constexpr std::size_t kMany = 10;
  for (const std::string& line : races | std::views::take(kMany))
    say("{}\n", in_role(Role::warning, "warning: " + line, stderr));
  if (races.size() > kMany) say("and {}\n", counted(races.size() - kMany, "more data race"));
}

}  // namespace kbsim::app
