#include "run_outputs.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/output_place.hpp"
#include "kbsim/inputs/chakra/chakra_trace.hpp"
#include "kbsim/report/output_folder.hpp"

#include "evaluation_options.hpp"
#include "machine_options.hpp"
#include "parse_options.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

void describe_logs(RunOutputs& outputs, po::options_description& to) {
  auto add = to.add_options();
  add("oplog", po::value(&outputs.oplog)->value_name("FILE"),
      "write the op log, and print what kbsim replay FILE will print");
  add("chakra", po::value(&outputs.chakra)->value_name("DIR"),
      "write Chakra execution traces, one file per rank: DIR/BENCH.0.et, ...");
}

void describe_trace(report::TraceOptions& trace, po::options_description& to) {
  auto add = to.add_options();
  add("trace", po::value(&trace.file)->value_name("FILE"),
      "write a timeline of what each rank, unit and link does: FILE.pftrace for Perfetto, .json for Chrome "
      "and Kineto's readers, .html for a page, .svg for a picture");
  add("trace-dir", po::value(&trace.folder)->value_name("DIR"),
      "write the same timeline as .json, one file per rank: DIR/rank0.json, ...");
  add("trace-window", po::value(&trace.window)->value_name("FROM:TO"),
      "write only these times of the timeline, in ns");
  add("trace-units", po::value(&trace.units)->value_name("GLOB"),
      "write only ranks, units, links and memory ports whose names match: '*', 'sip0.cube0.*'");
  add("trace-unit", po::value(&trace.unit)->value_name("ns|ps"),
      "unit of times in .pftrace; ps writes each ps as a ns, so that spans below 1 ns are visible "
      "(default: ns)");
  add("trace-packets", po::bool_switch(&trace.packets),
      "write one slice per packet on links and memory ports; otherwise a message's packets share a slice");
  add("trace-limit", whole("trace-limit", "N", {}, &trace.most),
      "slices that a trace may have (default: 10000000)");
}

void describe_folder(RunOutputs& outputs, po::options_description& to) {
  auto add = to.add_options();
  add("json", po::bool_switch(&outputs.json), "print the result as JSON, and nothing else, on stdout");
  add("out", po::value(&outputs.out)->value_name("DIR"),
      "write report.html there, a page of the results, and its files: summary.json, results.csv, links.csv, "
      "units.csv, orders.csv, launches.csv, run.json, config.resolved.yaml, explain.json, spans.json");
  add("no-report", po::bool_switch(&outputs.no_report),
      "with --out: write no report.html and record nothing for it; the run takes less time");
  add("reuse", po::bool_switch(&outputs.reuse),
      "simulate nothing, make an evaluation's text and figures again from the rows in --out");
}

void describe_verbosity(RunOutputs& outputs, po::options_description& to) {
  auto add = to.add_options();
  add("quiet", po::bool_switch(&outputs.quiet),
      "print no progress, no summary and no names of written files on stderr");
  add("dry-run", po::bool_switch(&outputs.dry_run),
      "read and check everything, print what would run, and run nothing");
  add("verbose", po::bool_switch(&outputs.verbose),
      "report all waiting processes and all queues of a deadlock, not its cycles alone");
  add("wide", po::bool_switch(&outputs.wide), "print all columns of tables, also if they need more than 80");
}

bool is_same_file(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && output_place(a) == output_place(b);
}

}  // namespace

void describe_outputs(RunOutputs& outputs, po::options_description& to) {
  describe_folder(outputs, to);
  describe_verbosity(outputs, to);
  describe_color(to);
}

void describe_records(RunOutputs& outputs, po::options_description& to) {
  describe_logs(outputs, to);
  describe_trace(outputs.trace, to);
}

void take_values(const po::variables_map& values, const Arguments& given, const Arguments& arguments,
                 RunOutputs& outputs) {
  if (const po::variable_value& file = values["reference"]; !file.empty())
    outputs.reference = file.as<std::string>();
  outputs.trace.quiet = outputs.quiet;
  outputs.reuse_asked_by = reuse_asker(given);
  outputs.unnamed_topology = unnamed_topology(given);
  outputs.arguments = arguments;
  if (outputs.no_report && outputs.out.empty()) throw UsageError{"--no-report has no effect without --out"};
  if (outputs.wide && outputs.json)
    throw UsageError{"--wide has no effect with --json, which has all columns"};
}

bool has_folder(const RunOutputs& outputs) {
  return !outputs.out.empty() && !outputs.dry_run && outputs.kept == nullptr;
}

bool has_page(const RunOutputs& outputs) { return has_folder(outputs) && !outputs.no_report; }

bool shows_progress(const RunOutputs& outputs) { return !outputs.quiet && outputs.kept == nullptr; }

void require_outputs(const RunOutputs& outputs) {
  const report::OutputPlan plan{.out = outputs.out, .json = outputs.json};
  if (!outputs.oplog.empty()) report::require_output("--oplog", outputs.oplog, plan);
  if (!outputs.trace.file.empty()) report::require_output("--trace", outputs.trace.file, plan);
  for (const std::string& trace : {outputs.trace.file, outputs.trace.folder}) {
    if (is_same_file(outputs.oplog, trace))
      throw UsageError{fmt::format("--oplog {}: the trace has that name", outputs.oplog)};
  }
  if (!outputs.chakra.empty()) inputs::chakra::require_traces();
  report::require_folder("--chakra", outputs.chakra);
  report::require_folder("--trace-dir", outputs.trace.folder);
  report::require_folder(outputs.out);
}

std::vector<std::string> files_of(const RunOutputs& outputs, const std::string& bench,
                                  const report::RunTrace& trace, const std::vector<std::string>& in_out) {
  std::vector<std::string> files = trace.files();
  if (!outputs.out.empty()) {
    for (const std::string& name : in_out) files.push_back(outputs.out + "/" + name);
  }
  if (!outputs.oplog.empty()) files.push_back(outputs.oplog);
  if (!outputs.chakra.empty()) files.push_back(fmt::format("{}/{}.RANK.et", outputs.chakra, bench));
  return files;
}

ExitCode show(const RunOutputs& outputs, const Plan& plan) {
  if (!outputs.json) fmt::print("{}", to_text(plan));
  (void)std::fflush(stdout);
  return ExitCode::ok;
}

}  // namespace kbsim::app
