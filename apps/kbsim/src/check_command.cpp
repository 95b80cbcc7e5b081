// kbsim check: repeats the run of a folder of results, and compares the results.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/input_file.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/report/check_report.hpp"
#include "kbsim/report/configuration_record.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/output_folder.hpp"

#include "commands.hpp"
#include "machine_options.hpp"
#include "parse_options.hpp"
#include "plugins.hpp"
#include "rerun.hpp"
#include "result_folder.hpp"
#include "scratch_folder.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;
namespace json = boost::json;

struct CheckOptions {
  fs::path folder;
  std::string out;
  double tolerance = 0.0;
  bool json = false;
  bool quiet = false;
};

constexpr std::string_view kCheckExamples = R"(
examples:
  kbsim --topology topology.yaml --bench ccl_allreduce --out golden
  kbsim check golden
  kbsim check golden --tolerance 0.02 --out now
)";

void parse(const Arguments& arguments, CheckOptions& o) {
  po::options_description all{"options of kbsim check"};
  std::string folder;
  auto add = all.add_options();
  add("dir", po::value(&folder)->value_name("DIR")->required(), "the folder that a run wrote with --out");
  add("tolerance", po::value(&o.tolerance)->value_name("T"),
      "relative difference that a number may have, e.g. 0.02 for 2 % (default 0)");
  add("out", po::value(&o.out)->value_name("DIR"), "folder that keeps the files of the repeated run");
  add("json", po::bool_switch(&o.json), "print the result as JSON, and nothing else, on stdout");
  add("quiet", po::bool_switch(&o.quiet), "with --out: print no names of written files on stderr");
  parse_options(
      arguments, all,
      {.usage = "kbsim check DIR [options]", .examples = std::string{kCheckExamples}, .positional = "dir"});
  if (!(o.tolerance >= 0.0 && std::isfinite(o.tolerance)))
    throw UsageError{fmt::format("--tolerance must be a number from 0 on, got {}", o.tolerance)};
  if (o.quiet && o.out.empty()) throw UsageError{"--quiet has no effect without --out"};
  o.folder = folder;
}

// Results that equal runs have in common.
json::object results_in(const fs::path& folder) {
  json::object all = document_in(folder / "summary.json");
  for (const char* name : {"schema_version", "version", "model_version", "topology"}) all.erase(name);
  const json::object record = document_in(folder / "run.json");
  const json::value* run = record.if_contains("run");
  if (run == nullptr || !run->is_object())
    throw UsageError{fmt::format("{}: isn't that of a run", (folder / "run.json").string())};
  json::object cost_free = run->get_object();
  cost_free.erase("host");
  all["run"] = std::move(cost_free);
  return all;
}

void require_another(const CheckOptions& options) {
  report::require_folder(options.out);
  std::error_code error;
  if (!options.out.empty() && fs::equivalent(options.out, options.folder, error))
    throw UsageError{fmt::format("--out {}: holds the results to check", options.out)};
}

}  // namespace

ExitCode check(const Arguments& arguments) {
  CheckOptions options;
  parse(arguments, options);
  require_results(options.folder);
  require_another(options);
  const fs::path machine = options.folder / "config.resolved.yaml";
  const Arguments command = recorded_command(options.folder);
  report::require_whole(document_in(options.folder / "run.json"), read_input(machine, machine.string()),
                        machine.string());
  load_plugins(command);
  const json::object was = results_in(options.folder);
  const ScratchFolder scratch{"check"};
  const fs::path out = options.out.empty() ? scratch.path() : fs::path{options.out};

  const int exit = run_again(repeated(command, machine, out));
  if (exit != static_cast<int>(ExitCode::ok) && exit != static_cast<int>(ExitCode::wrong_values))
    throw Error{static_cast<ExitCode>(exit), fmt::format("kbsim {}: the run again ended with exit code {}",
                                                         fmt::join(command, " "), exit)};
  const report::Check found = report::compare(was, results_in(out), options.tolerance);
  if (options.json)
    std::cout << json_as_utf8(json::serialize(report::to_json(found))) << '\n';
  else
    fmt::print("kbsim {}, again:\n{}", fmt::join(command, " "), report::to_text(found));
  std::fflush(stdout);
  if (!options.out.empty() && !options.quiet) report::say_results(options.out);
  return found.different() == 0 ? ExitCode::ok : ExitCode::wrong_values;
}

}  // namespace kbsim::app
