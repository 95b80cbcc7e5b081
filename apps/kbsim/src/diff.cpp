// kbsim diff: compares two runs, or two sweeps.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/utf8.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/sweep/compare_sweeps.hpp"

#include "commands.hpp"
#include "parse_options.hpp"
#include "result_folder.hpp"
#include "run_difference.hpp"
#include "run_side.hpp"
#include "scratch_folder.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;
namespace json = boost::json;

struct DiffOptions {
  std::vector<std::string> folders;
  std::optional<std::string> a;
  std::optional<std::string> b;
  std::vector<std::string> metrics;
  std::string out;
  bool json = false;
  bool quiet = false;
};

constexpr std::string_view kDiffExamples = R"(
The exit code is 0 whether the two differ or not; kbsim check is what fails if
results aren't what they were.

examples:
  kbsim explain --bench ccl_allreduce --out before
  kbsim explain --bench ccl_allreduce --set system.sips.link.bw_gbs=16 --out after
  kbsim diff before after
  kbsim diff --a "--bench gemm_single_pe" --b "--bench gemm_single_pe --set pe.pe_scheduler.tile_m=64"
  kbsim diff sweep1 sweep2 --metric latency_ns
)";

std::optional<std::string> given_text(const po::variables_map& values, const char* name) {
  return values.count(name) > 0 ? std::optional{values[name].as<std::string>()} : std::nullopt;
}

po::options_description description(DiffOptions& o) {
  po::options_description all{"options of kbsim diff"};
  auto add = all.add_options();
  add("dirs", po::value(&o.folders)->value_name("DIR")->composing(),
      "the first and the second folder, of runs with --out or of sweeps");
  add("a", po::value<std::string>()->value_name("ARGUMENTS"),
      "in place of the first folder: arguments of kbsim run, which is run now");
  add("b", po::value<std::string>()->value_name("ARGUMENTS"), "likewise, in place of the second folder");
  add("metric", po::value(&o.metrics)->value_name("NAME")->composing(),
      "for sweeps: the number to compare (default: latency or time, of the first row); repeatable");
  add("json", po::bool_switch(&o.json), "print the result as JSON, and nothing else, on stdout");
  add("out", po::value(&o.out)->value_name("DIR"), "write diff.json there");
  add("quiet", po::bool_switch(&o.quiet), "print no repeated runs and no names of written files on stderr");
  return all;
}

void parse(const Arguments& arguments, DiffOptions& o) {
  po::options_description all = description(o);
  po::variables_map values;
  parse_options(arguments, all,
                {.usage = "kbsim diff A B [options]\n       kbsim diff --a ARGUMENTS --b ARGUMENTS [options]",
                 .examples = std::string{kDiffExamples},
                 .positional = "dirs",
                 .several = true},
                &values);
  o.a = given_text(values, "a");
  o.b = given_text(values, "b");
  const std::size_t sides = o.folders.size() + (o.a ? 1 : 0) + (o.b ? 1 : 0);
  if (sides != 2)
    throw UsageError{
        fmt::format("diff: expected two folders, or --a and --b in place of one, got {}", sides)};
  report::require_folder(o.out);
}

// True for two sweeps.
bool are_sweeps(const DiffOptions& o) {
  for (const std::string& folder : o.folders) require_results(folder);
  const auto sweeps = std::ranges::count_if(o.folders, is_sweep);
  if (sweeps == 1) throw UsageError{"diff: one is a sweep's folder, and the other isn't"};
  if (sweeps == 0 && !o.metrics.empty())
    throw UsageError{"--metric: is of two sweeps; all metrics of runs are printed"};
  return sweeps == 2;
}

// --a gives the first side, --b the second; the folders give the others.
std::array<RunSide, 2> sides_of(const DiffOptions& o) {
  const ScratchFolder scratch{"diff"};
  const auto side = [&](const char* name, const std::optional<std::string>& arguments,
                        const std::string& folder) {
    const fs::path own = scratch.path() / name;
    return arguments ? side_of(name, *arguments, own) : side_in(name, folder, own, o.quiet);
  };
  const std::string first = o.folders.empty() ? "" : o.folders.front();
  const std::string second = o.folders.empty() ? "" : o.folders.back();
  return {side("A", o.a, first), side("B", o.b, second)};
}

void show(const DiffOptions& o, const json::object& document, const std::string& text) {
  if (const std::unique_ptr<report::OutputFolder> folder = report::folder_named(o.out))
    folder->write("diff.json", document);
  if (o.json)
    std::cout << json_as_utf8(json::serialize(document)) << '\n';
  else
    fmt::print("{}", text);
  (void)std::fflush(stdout);
  if (!o.out.empty() && !o.quiet) report::say_results(o.out);
}

void diff_sweeps(const DiffOptions& o) {
  const sweep::Tables first = sweep::read_tables(o.folders.front());
  const sweep::Tables second = sweep::read_tables(o.folders.back());
  const std::vector<std::string> metrics = o.metrics.empty() ? std::vector<std::string>{""} : o.metrics;
  json::array all;
  std::string text;
  bool same = true;
  for (const std::string& metric : metrics) {
    const sweep::SweepComparison found = sweep::compare(first, second, metric);
    all.emplace_back(to_json(found));
    text += to_text(found);
    same = same && found.same();
  }
  if (same) text += "no difference\n";
  show(o, {{"schema_version", 1}, {"same", same}, {"metrics", std::move(all)}}, text);
}

}  // namespace

ExitCode diff(const Arguments& arguments) {
  DiffOptions o;
  parse(arguments, o);
  const bool sweeps = are_sweeps(o);
  if (o.quiet && o.out.empty() && (sweeps || o.folders.empty()))
    throw UsageError{
        fmt::format("--quiet has no effect on {} without --out", sweeps ? "two sweeps" : "--a and --b")};
  if (sweeps) {
    diff_sweeps(o);
    return ExitCode::ok;
  }
  const auto [was, is] = sides_of(o);
  const RunDifference found = difference_of(was, is);
  show(o, to_json(found, was, is), to_text(found, was, is));
  return ExitCode::ok;
}

}  // namespace kbsim::app
