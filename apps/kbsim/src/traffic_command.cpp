// kbsim traffic: synthetic traffic on a part of the fabric.
#include <algorithm>
#include <chrono>
#include <memory>
#include <set>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/evaluate/settings.hpp"
#include "kbsim/evaluate/traffic_settings.hpp"
#include "kbsim/evaluate/traffic_sweep.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/run_summary.hpp"
#include "kbsim/signals/stop_signals.hpp"

#include "commands.hpp"
#include "memory_traffic_command.hpp"
#include "noc_traces.hpp"
#include "out_page.hpp"
#include "parse_options.hpp"
#include "traffic_options.hpp"
#include "traffic_results.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
using Points = std::vector<hw::TrafficResult>;

// True if times, sizes or targets of packets are random.
bool draws_anything(const topology::TrafficCase& traffic, const hw::TrafficRequest& request) {
  if (request.outstanding == 0 && request.arrivals != hw::Arrivals::saturated) return true;
  if (request.other > 0_B) return true;
  return std::ranges::any_of(traffic.pattern.active, [&](std::size_t source) {
    std::set<std::size_t> targets;
    traffic.pattern.each_target(source, traffic.network.sinks.size(), [&](std::size_t sink, double share) {
      if (share > 0.0) targets.insert(sink);
    });
    return targets.size() > 1;
  });
}

// Loads up to the link's rate of the source that sends most.
std::vector<double> loads_of(const topology::TrafficCase& traffic) {
  const topology::TrafficNetwork& network = traffic.network;
  double most = 0.0;
  for (const std::size_t source : traffic.pattern.active)
    most = std::max(most, traffic.pattern.weight(source));
  return evaluate::sweep_loads(traffic.bound,
                               network.source_bandwidth().gbs() / network.service.gbs() / most);
}

TrafficMeasured measure_sweep(const TrafficOptions& options, const topology::TrafficCase& traffic) {
  const std::vector<double> loads = loads_of(traffic);
  evaluate::TrafficSweep sweep = evaluate::sweep_traffic(
      traffic, options.request, loads, static_cast<unsigned>(options.num_threads), !options.quiet);
  if (sweep.failed && sweep.points.empty()) throw *sweep.failed;
  const bool whole = sweep.points.size() == loads.size();
  return {.points = std::move(sweep.points), .whole = whole, .failed = std::move(sweep.failed)};
}

TrafficMeasured measure(const TrafficOptions& options, const topology::TrafficCase& traffic) {
  if (options.sweep) return measure_sweep(options, traffic);
  hw::TrafficRequest request = options.request;
  const bool asked = request.arrivals != hw::Arrivals::saturated && request.outstanding == 0;
  if (asked) request.rate = asked_rate(options, traffic);
  try {
    return {.points = {hw::run_traffic(traffic, request)}};
  } catch (const hw::TrafficInterrupted& interrupted) {
    say("kbsim: {}\n", interrupted.what());
    const bool some = interrupted.so_far != nullptr;
    return {.points = some ? Points{*interrupted.so_far} : Points{}, .whole = false};
  }
}

report::RunSummary summary_of(const Points& points, std::chrono::duration<double> wall) {
  report::RunSummary summary{.wall = wall, .peak_memory = report::peak_memory()};
  for (const hw::TrafficResult& point : points) {
    summary.simulated += point.simulated;
    summary.events += point.events;
    summary.digest.add(point.digest.value());
  }
  return summary;
}

// The reason of missing points matters more than a missing page.
void write_page(const std::string& out, const TrafficMeasured& measured) {
  try {
    write_report_page(out);
  } catch (const Error& error) {
    if (!measured.failed) throw;
    say("kbsim: {}\n", error.what());
  }
}

}  // namespace

ExitCode traffic(const Arguments& arguments) {
  if (asks_for_memory(arguments)) return memory_traffic(arguments);
  if (asks_for_trace(arguments)) return trace_traffic(arguments);
  TrafficOptions options;
  po::options_description description = describe(options);
  parse_options(arguments, description,
                {.usage = "kbsim traffic [--topology FILE] --scope S --load L [options]",
                 .examples = kTrafficExamples,
                 .likely = "scope",
                 .groups = {{"machine", "topology"},
                            {"limits and profile", "max-memory"},
                            {"traffic", "scope"},
                            {"load", "load"},
                            {"results", "out"},
                            {"order of events, threads", "shuffle-ties"},
                            {"all commands", "color"}}});
  const auto start = std::chrono::steady_clock::now();
  fill_request(options);
  check_choice(options);
  const config::Configuration configuration = options.machine.load();
  evaluate::require_effect(uses_of(options, configuration.machine),
                           {.set = options.machine.set, .ccl = options.machine.ccl}, configuration);
  const config::MachineSpec& spec = configuration.machine;
  const topology::TrafficSetup setup = options.network.setup(options.scope, options.request);
  const topology::TrafficCase traffic = topology::traffic_case(spec, setup);
  evaluate::require_met({.setup = setup,
                         .set = options.machine.set,
                         .machine =
                             [&](const config::Overrides& set) {
                               return config::parse_machine(configuration.text, options.machine.topology, set,
                                                            hw::ModelCatalog{});
                             }},
                        traffic);
  if (options.seed && !draws_anything(traffic, options.request))
    throw UsageError{fmt::format("--seed {}: has no effect, nothing is drawn at random", *options.seed)};
  const std::unique_ptr<report::OutputFolder> folder =
      report::folder_named(options.out);  // now, not when all is done
  return report::run_into(folder.get(), [&] {
    const StopSignals signals;
    const WatchdogLimit watchdog{options.watchdog};
    const TrafficMeasured measured = measure(options, traffic);
    const report::RunSummary summary = summary_of(measured.points, std::chrono::steady_clock::now() - start);
    if (folder) {
      const Arguments words = with_topology(arguments);
      write(*folder, options, traffic_record(words, options.seed, spec, measured.whole), traffic, measured,
            summary);
    }
    const bool any = !measured.points.empty();
    if (any) print(options, traffic, measured);
    if (folder) write_page(options.out, measured);
    if (folder && !options.quiet) report::say_results(options.out);
    if (any && !options.quiet) say("{}{}\n", report::to_text(summary), unnamed_topology(arguments));
    if (measured.failed) throw *measured.failed;
    return any && measured.whole ? ExitCode::ok : ExitCode::interrupted;
  });
}

}  // namespace kbsim::app
