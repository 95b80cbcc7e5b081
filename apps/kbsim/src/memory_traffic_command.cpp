// kbsim traffic --scope hbm: synthetic accesses to one HBM slice.
#include "memory_traffic_command.hpp"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/settings.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/hw/memory/hbm_spec.hpp"
#include "kbsim/report/memory_traffic_report.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/run_summary.hpp"
#include "kbsim/signals/stop_signals.hpp"

#include "commands.hpp"
#include "machine_options.hpp"
#include "memory_option.hpp"
#include "out_page.hpp"
#include "parse_options.hpp"
#include "profile_option.hpp"
#include "size_option.hpp"
#include "standing_line.hpp"
#include "traffic_results.hpp"
#include "watchdog_option.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

struct MemoryTrafficOptions {
  MachineOptions machine;
  std::string scope;
  std::string pattern = "stream";
  std::string access;
  std::string total = "4MiB";
  std::optional<double> load;
  std::optional<std::int64_t> outstanding;
  std::optional<std::int64_t> seed;
  std::string out;
  bool json = false;
  bool quiet = false;
  WatchdogLimit::Seconds watchdog{};
  hw::MemoryTrafficRequest request;
};

po::options_description describe_memory_traffic(MemoryTrafficOptions& o) {
  po::options_description all{"options of kbsim traffic --scope hbm"};
  o.machine.describe(all);
  describe_memory(all);
  describe_watchdog(o.watchdog, all);
  describe_profile(all);
  auto add = all.add_options();
  add("scope", po::value(&o.scope)->value_name("S")->required(), "hbm: the HBM slice of a PE, alone");
  add("pattern", po::value(&o.pattern)->value_name("P"),
      "stream (default): reads from the start of the slice, writes from its middle; random: anywhere; "
      "one-bank: a new row of the same bank each time; banks: a new row each time, banks in turn");
  add("read-share", po::value(&o.request.read_share)->value_name("R"),
      "share of reads, each drawn at random (default 1)");
  add("access", po::value(&o.access)->value_name("N"), "size of an access (default: a burst), e.g. 1KiB");
  add("load", po::value<double>()->value_name("L")->notifier([&](double v) { o.load = v; }),
      "accesses at random times, as a share of the raw bandwidth (default: as many outstanding as "
      "--outstanding says)");
  add("outstanding", whole("outstanding", "N", {1, hw::kMostAccesses}, &o.outstanding),
      "accesses that are under way at any time (default: twice what the controller's queues hold)");
  add("total", po::value(&o.total)->value_name("N"), "total size of all accesses (default 4MiB)");
  add("seed", whole("seed", "N", {}, &o.seed), "seed of all random draws (default 1)");
  add("out", po::value(&o.out)->value_name("DIR"),
      "folder for results.csv, latencies.csv, summary.json, run.json, config.resolved.yaml and report.html, "
      "a page of all of them");
  add("json", po::bool_switch(&o.json), "print the result as JSON, and nothing else, on stdout");
  add("quiet", po::bool_switch(&o.quiet),
      "print no progress, no summary and no names of written files on stderr");
  return all;
}

const std::string kMemoryTrafficExamples = R"(
examples:
  kbsim traffic --topology hbm4.yaml --scope hbm
  kbsim traffic --topology reference_hbm4.yaml --scope hbm --read-share 0.67
  kbsim traffic --topology reference_hbm4.yaml --scope hbm --pattern random --access 1KiB --json
  kbsim traffic --topology reference_hbm4.yaml --scope hbm --pattern random --load 0.1
)";

// Keys of the slice without effect on accesses of this kind. A queue's length has an effect if it sets the
// number of outstanding accesses.
std::vector<std::string_view> unused_by(const hw::MemoryTrafficRequest& request,
                                        const hw::HbmBanksSpec& banks) {
  std::vector<std::string_view> keys;
  const bool fixed = request.load || request.outstanding > 0;
  if (request.read_share == 1.0) {
    keys = {"trcd_write_ns", "tcwl_ns",    "twr_ns",    "trtw_ns",    "twtr_s_ns",
            "twtr_l_ns",     "write_high", "write_low", "write_drain"};
    if (fixed) keys.emplace_back("write_queue");
  } else if (request.read_share == 0.0) {
    keys = {"tcl_ns",    "trtp_ns",    "trtw_ns",   "twtr_s_ns",
            "twtr_l_ns", "write_high", "write_low", "write_drain"};
    if (banks.trcd_write > Time{0}) keys.emplace_back("trcd_ns");
    if (fixed) keys.emplace_back("read_queue");
  }
  return keys;
}

// True if no access has commands to several banks, or several commands to one row.
bool keeps_to_a_burst(const hw::MemoryTrafficRequest& request, const hw::HbmBanksSpec& banks) {
  return request.pattern == hw::MemoryPattern::one_bank && request.access <= banks.burst;
}

// The slice is driven alone: only its model takes part.
evaluate::Uses uses_of_slice(const hw::MemoryTrafficRequest& request, const config::MachineSpec& spec) {
  evaluate::Uses uses{.name = "kbsim traffic", .algorithms = evaluate::Algorithms::none};
  for (const char* key :
       {"system", "sip", "cube.noc", "cube.pe_layout", "cube.m_cpu", "cube.xbar", "cube.sram",
        "cube.memory.sram_bytes", "cube.memory.tcm_bytes", "cube.memory.tcm_scheduler_bytes", "pe"})
    uses.unused.push_back({key, "--scope hbm is an HBM slice alone"});
  const auto refuse = [&](std::string_view name, const std::string& why) {
    for (const char* section : {"cube.hbm_ctrl", "cube.hbm_ctrl.attrs"})
      uses.unused.push_back({fmt::format("{}.{}", section, name), why});
  };
  if (spec.cube.hbm_ctrl.impl != "builtin.hbm_banks") return uses;
  const auto banks = spec_from<hw::HbmBanksSpec>(spec.cube.hbm_ctrl.attrs);
  for (const std::string_view name : unused_by(request, banks))
    refuse(name, fmt::format("nothing is {} (--read-share {:g})",
                             request.read_share == 1.0 ? "written" : "read", request.read_share));
  if (!keeps_to_a_burst(request, banks)) return uses;
  for (const char* name :
       {"tccd_s_ns", "tccd_l_ns", "tccd_r_ns", "trrd_s_ns", "trrd_l_ns", "tfaw_ns", "tppd_ns"})
    refuse(name, "each access is a burst of a row of its own, all in one bank (--pattern one-bank)");
  return uses;
}

// Writes out the defaults of its models, as in a run's config.resolved.yaml. Given values stay where the user
// gave them.
config::MachineSpec resolved(const config::MachineSpec& spec) {
  const hw::ModelCatalog catalog;
  config::MachineSpec all =
      config::parse_machine(config::resolved_yaml(spec, catalog), "config.resolved.yaml", {}, catalog);
  all.cube.hbm_ctrl.at = spec.cube.hbm_ctrl.at;
  all.cube.hbm_ctrl.places = spec.cube.hbm_ctrl.places;
  return all;
}

// 32 B for a model that names no burst.
Bytes burst_of(const config::MachineSpec& spec) {
  const auto& attrs = spec.cube.hbm_ctrl.attrs;
  const auto burst = attrs.find("burst_bytes");
  return burst == attrs.end() ? 32_B : Bytes{std::get<std::int64_t>(burst->second)};
}

void fill_request(MemoryTrafficOptions& o, const config::MachineSpec& spec) {
  o.request.outstanding = o.outstanding.value_or(0);
  o.request.pattern = hw::memory_pattern_named(o.pattern);
  o.request.access = o.access.empty() ? burst_of(spec) : size_given("--access", o.access);
  o.request.total = size_given("--total", o.total);
  o.request.load = o.load;
  o.request.seed = static_cast<std::uint64_t>(o.seed.value_or(1));
  if (o.load && o.outstanding) throw UsageError{"expected one of --load and --outstanding, got both"};
  const bool draws = o.load || o.request.pattern == hw::MemoryPattern::random ||
                     (o.request.read_share != 0.0 && o.request.read_share != 1.0);
  if (o.seed && !draws)
    throw UsageError{fmt::format("--seed {}: has no effect, nothing is drawn at random", *o.seed)};
}

struct MemoryMeasured {
  std::shared_ptr<const hw::MemoryTrafficResult> result;  // none: nothing had been served
  bool whole = true;                                      // false: a signal has ended it before
};

MemoryMeasured measure(const config::MachineSpec& spec, const hw::MemoryTrafficRequest& request) {
  const topology::Graph graph = topology::compile(std::make_shared<const config::MachineSpec>(spec));
  try {
    return {std::make_shared<hw::MemoryTrafficResult>(
        hw::run_memory_traffic(graph, graph.cube(0, 0).hbm.front(), request))};
  } catch (const hw::MemoryTrafficInterrupted& interrupted) {
    say("kbsim: {}\n", interrupted.what());
    return {.result = interrupted.so_far, .whole = false};
  }
}

report::RunSummary summary_of(const hw::MemoryTrafficResult& result, std::chrono::duration<double> wall) {
  report::RunSummary summary{.wall = wall, .peak_memory = report::peak_memory(), .counted = "accesses"};
  summary.events = result.reads.size() + result.writes.size();
  summary.simulated = result.simulated;
  summary.digest = result.digest;
  return summary;
}

boost::json::object result_json(const MemoryMeasured& measured) {
  boost::json::object result = report::to_json(*measured.result);
  if (!measured.whole) result["interrupted"] = true;
  return result;
}

std::string title_of(const MemoryTrafficOptions& options) {
  return fmt::format("hbm, {}, {:.4g} % reads, accesses of {}", options.pattern,
                     100.0 * options.request.read_share, to_string(options.request.access));
}

void write(const report::OutputFolder& folder, const MemoryTrafficOptions& options,
           const config::MachineSpec& spec, const Arguments& arguments, const MemoryMeasured& measured,
           const report::RunSummary& summary) {
  folder.write("summary.json",
               boost::json::object{
                   {"schema_version", 1}, {"title", title_of(options)}, {"result", result_json(measured)}});
  folder.write("results.csv", report::memory_traffic_csv(*measured.result));
  folder.write("latencies.csv", report::memory_latencies_csv(*measured.result));
  folder.write_run(traffic_record(arguments, options.seed, spec, measured.whole), summary);
}

void print(const MemoryTrafficOptions& options, const MemoryMeasured& measured) {
  if (options.json) {
    std::cout << json_as_utf8(boost::json::serialize(result_json(measured))) << '\n';
    return;
  }
  fmt::print("{}\n{}", title_of(options), report::to_text(*measured.result));
  if (!measured.whole)
    fmt::print("interrupted: these are the accesses that had ended, the rest is missing\n");
  std::fflush(stdout);
}

MemoryMeasured measure_shown(const config::MachineSpec& spec, const MemoryTrafficOptions& options,
                             std::chrono::steady_clock::time_point start) {
  const StandingLine progress{{.shown = !options.quiet, .start = start, .counted = "accesses"}};
  return measure(spec, options.request);
}

}  // namespace

bool asks_for_memory(const Arguments& arguments) { return option_given(arguments, "scope") == "hbm"; }

ExitCode memory_traffic(const Arguments& arguments) {
  MemoryTrafficOptions options;
  po::options_description description = describe_memory_traffic(options);
  parse_options(
      arguments, description,
      {.usage = "kbsim traffic [--topology FILE] --scope hbm [options]", .examples = kMemoryTrafficExamples});
  const auto start = std::chrono::steady_clock::now();
  const config::Configuration configuration = options.machine.load();
  const config::MachineSpec spec = resolved(configuration.machine);
  fill_request(options, spec);
  evaluate::require_effect(uses_of_slice(options.request, spec),
                           {.set = options.machine.set, .ccl = options.machine.ccl}, configuration);
  const std::unique_ptr<report::OutputFolder> folder = report::folder_named(options.out);
  return report::run_into(folder.get(), [&] {
    const StopSignals signals;
    const WatchdogLimit watchdog{options.watchdog};
    const MemoryMeasured measured = measure_shown(spec, options, start);
    if (!measured.result) return ExitCode::interrupted;
    const report::RunSummary summary = summary_of(*measured.result, std::chrono::steady_clock::now() - start);
    if (folder) write(*folder, options, spec, with_topology(arguments), measured, summary);
    print(options, measured);
    if (folder) write_report_page(options.out);
    if (folder && !options.quiet) report::say_results(options.out);
    if (!options.quiet) say("{}{}\n", report::to_text(summary), unnamed_topology(arguments));
    return measured.whole ? ExitCode::ok : ExitCode::interrupted;
  });
}

}  // namespace kbsim::app
