// kbsim traffic: synthetic traffic on a part of the fabric.
#include "kbsim/report/traffic.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/evaluate/settings.hpp"
#include "kbsim/evaluate/traffic_settings.hpp"
#include "kbsim/evaluate/traffic_sweep.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/run_summary.hpp"

#include "commands.hpp"
#include "machine_options.hpp"
#include "memory_option.hpp"
#include "memory_traffic.hpp"
#include "network_load.hpp"
#include "noc_traces.hpp"
#include "profile_option.hpp"
#include "report_page.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
using Points = std::vector<hw::TrafficResult>;

struct Measured {
  Points points;
  bool whole = true;  // false: a signal has ended it before
};

struct TrafficOptions {
  MachineOptions machine;
  std::string scope;
  NetworkLoad network;
  std::optional<std::string> arrivals;
  std::optional<double> load;
  std::optional<double> rate;
  bool sweep = false;
  std::string out;
  bool json = false;
  bool quiet = false;
  std::int64_t num_threads = 0;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> shuffle_ties;
  hw::TrafficRequest request;
};

void describe_traffic(TrafficOptions& o, po::options_description& all) {
  auto add = all.add_options();
  static const std::string scopes = std::string{"the part of the fabric: "} +
                                    std::string{topology::scope_forms()} +
                                    "; hbm: an HBM slice alone, see kbsim traffic --scope hbm --help";
  add("scope", po::value(&o.scope)->value_name("S")->required(), scopes.c_str());
  o.network.describe(all);
  add("trace", po::value<std::vector<std::string>>()->value_name("FILE")->multitoken(),
      "recorded NOC traces in place of a pattern: see kbsim traffic --trace FILE --help");
  add("load", po::value<double>()->value_name("L")->notifier([&](double v) { o.load = v; }),
      "offered, as a fraction of the rate at which the pattern's busiest link is always busy");
  add("rate", po::value<double>()->value_name("R")->notifier([&](double v) { o.rate = v; }),
      "offered, in packets a service time and source, above 0 and at most 100");
  add("sweep", po::bool_switch(&o.sweep), "the load-latency curve, up to and beyond the bound");
  add("arrivals",
      po::value<std::string>()->value_name("A")->notifier([&](const std::string& v) { o.arrivals = v; }),
      "poisson (default), bernoulli or saturated");
  add("packets", po::value(&o.request.packets)->value_name("N"),
      "how many are measured at each point (default 100000, on average)");
  add("warmup", po::value(&o.request.warmup)->value_name("N"),
      "how many go before them, and after them (default 10000)");
  add("seed", po::value<std::int64_t>()->value_name("N")->notifier([&](std::int64_t v) { o.seed = v; }),
      "of all random draws (default 1)");
}

po::options_description describe(TrafficOptions& o) {
  po::options_description all{"options of kbsim traffic"};
  o.machine.describe(all);
  describe_memory(all);
  describe_profile(all);
  describe_traffic(o, all);
  auto add = all.add_options();
  add("out", po::value(&o.out)->value_name("DIR"),
      "write results.csv, sources.csv, links.csv, summary.json, run.json, config.resolved.yaml and a page of "
      "all of it, report.html, there, of a bare network network.json, with --sweep the figure, too");
  add("json", po::bool_switch(&o.json), "print the result as JSON, and nothing else, on stdout");
  add("quiet", po::bool_switch(&o.quiet), "no progress and no summary on stderr");
  add("shuffle-ties",
      po::value<std::int64_t>()->value_name("SEED")->notifier([&](std::int64_t v) { o.shuffle_ties = v; }),
      "run events of equal time in random order; no result may change");
  add("num-threads", po::value(&o.num_threads)->value_name("N"),
      "simulations of a sweep that run at once (default: one a core)");
  return all;
}

const std::string kTrafficExamples = R"(
examples:
  kbsim traffic --topology topology.yaml --scope link --load 0.8
  kbsim traffic --topology topology.yaml --scope mesh:8x8 --pattern transpose --load 0.5 --json
  kbsim traffic --topology topology.yaml --scope sip0.cubes --pattern hotspot:0.2 --rate 0.1
  kbsim traffic --topology topology.yaml --scope mesh:8x8 --sweep --out curve
  kbsim traffic --topology topology.yaml --scope mesh:2x2 --pattern file:M.csv --load 0.5
  kbsim traffic --topology topology.yaml --scope mesh:8x8 --to-self none --bytes 16,80 --mix 0.5 --load 0.5
  kbsim traffic --topology topology.yaml --scope mesh:8x8 --outstanding 4 --reply 64
  kbsim traffic --topology topology.yaml --scope file:NET.yaml --load 0.5
)";

// The rate that was asked for, in packets a service time and source.
double asked_rate(const TrafficOptions& o, const topology::TrafficCase& traffic) {
  if (o.rate) return *o.rate;
  if (!o.load) return traffic.pattern.rate;  // a matrix as it stands
  if (!(*o.load > 0.0 && *o.load <= 1.0))
    throw UsageError{
        fmt::format("--load {}: expected a fraction of the bound, above 0 and at most 1", *o.load)};
  return *o.load * traffic.bound;
}

std::uint64_t checked(const char* option, std::int64_t value, std::int64_t most) {
  if (value < 0 || value > most)
    throw UsageError{fmt::format("--{} must be 0 to {}, got {}", option, most, value)};
  return static_cast<std::uint64_t>(value);
}

void fill_request(TrafficOptions& o) {
  constexpr std::int64_t kAnySeed = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMostThreads = 1024;
  if (o.arrivals) o.request.arrivals = hw::arrivals_named(*o.arrivals);
  o.network.fill(o.request);
  o.request.seed = checked("seed", o.seed.value_or(1), kAnySeed);
  if (o.shuffle_ties) o.request.simulation.shuffle_ties = checked("shuffle-ties", *o.shuffle_ties, kAnySeed);
  (void)checked("num-threads", o.num_threads, kMostThreads);
}

void check_choice(const TrafficOptions& o) {
  const bool saturated = o.request.arrivals == hw::Arrivals::saturated;
  const bool closed = o.request.outstanding > 0;
  const int given = o.load.has_value() + o.rate.has_value() + o.sweep + saturated + closed;
  if (given > 1 || (given == 0 && !o.network.has_matrix()))
    throw UsageError{
        "expected one of --load L, --rate R, --sweep, --arrivals saturated and --outstanding N, got " +
        (given == 0 ? std::string{"none"} : std::to_string(given))};
  if (closed && o.arrivals)
    throw UsageError{fmt::format("--arrivals {}: has no effect with --outstanding", *o.arrivals)};
}

// A flit of router_iq, the smallest of all that there are.
Bytes smallest_flit(const config::MachineSpec& spec) {
  Bytes smallest{std::numeric_limits<std::int64_t>::max()};
  for (const ComponentSpec* router : {&spec.cube.noc.router, &spec.sip.io.router}) {
    if (router->impl != "builtin.router_iq") continue;
    const std::vector<Field>& fields = *hw::ModelCatalog{}.fields(router->impl);
    const auto field = std::ranges::find(fields, "flit_bytes", &Field::name);
    const auto given = router->attrs.find(field->name);
    const Scalar flit = given == router->attrs.end() ? field->get(field->fresh().get()) : given->second;
    smallest = std::min(smallest, Bytes{std::get<std::int64_t>(flit)});
  }
  return smallest;
}

// Packets are the traffic's own, and no memory or engine takes part; a bare network has nothing of the
// machine but its NOC.
evaluate::Uses uses_of(const TrafficOptions& o, const config::MachineSpec& spec) {
  evaluate::Uses uses{.name = "kbsim traffic", .algorithms = evaluate::Algorithms::none};
  for (const char* key : {"system.packet_bytes", "system.control_bytes"})
    uses.unused.push_back({key, "packets are as large as --bytes says, and none is cut"});
  for (const char* key : {"cube.memory", "cube.hbm_ctrl", "cube.sram", "cube.xbar_to_hbm_bw_gbs", "pe.issue",
                          "pe.tcm", "pe.pe_cpu", "pe.pe_scheduler", "pe.pe_dma", "pe.pe_gemm", "pe.pe_math",
                          "pe.pe_tcm", "pe.pe_mmu", "pe.pe_ipcq"})
    uses.unused.push_back({key, "no memory and no unit of a PE takes part"});
  const Bytes largest = std::max({o.request.packet, o.request.other, o.request.reply});
  if (largest <= smallest_flit(spec)) {
    for (const char* key : {"cube.noc.router.packet_flits", "cube.noc.router.attrs.packet_flits",
                            "sip.io.router.packet_flits", "sip.io.router.attrs.packet_flits"})
      uses.unused.push_back({key, "no packet is larger than a flit (--bytes, flit_bytes)"});
  }
  if (o.scope.starts_with("sip")) return uses;
  for (const char* key : {"system.host_link", "system.sips", "system.components", "sip.cube_mesh", "sip.ucie",
                          "sip.ucie_link", "sip.io", "cube.pe_layout", "cube.m_cpu", "cube.xbar", "pe"})
    uses.unused.push_back({key, fmt::format("--scope {} is a bare network of the NOC's routers", o.scope)});
  return uses;
}

// Times, sizes or targets of packets.
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

// Up to what the source that sends most has a link for.
std::vector<double> loads_of(const topology::TrafficCase& traffic) {
  const topology::TrafficNetwork& network = traffic.network;
  double most = 0.0;
  for (const std::size_t source : traffic.pattern.active)
    most = std::max(most, traffic.pattern.weight(source));
  return evaluate::sweep_loads(traffic.bound,
                               network.source_bandwidth().gbs() / network.service.gbs() / most);
}

Measured measure_sweep(const TrafficOptions& options, const topology::TrafficCase& traffic) {
  const std::vector<double> loads = loads_of(traffic);
  Points points = evaluate::sweep_traffic(traffic, options.request, loads,
                                          static_cast<unsigned>(options.num_threads), !options.quiet);
  const bool whole = points.size() == loads.size();
  return {.points = std::move(points), .whole = whole};
}

Measured measure(const TrafficOptions& options, const topology::TrafficCase& traffic) {
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

boost::json::object points_json(const topology::TrafficCase& traffic, const Points& points) {
  boost::json::array all;
  for (const hw::TrafficResult& point : points) all.push_back(report::to_json(traffic, point));
  return {{"points", std::move(all)}};
}

boost::json::object results_json(bool sweep, const topology::TrafficCase& traffic, const Measured& measured) {
  const bool one = !sweep && !measured.points.empty();
  boost::json::object result =
      one ? report::to_json(traffic, measured.points.front()) : points_json(traffic, measured.points);
  if (!measured.whole) result["interrupted"] = true;
  return result;
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

std::string title_of(const TrafficOptions& options) {
  const std::string what = fmt::format("{}, {}", options.scope, options.network.pattern);
  if (options.request.outstanding > 0) return what + ", closed loop";
  return fmt::format("{}, {} arrivals", what, options.arrivals.value_or("poisson"));
}

void write(const report::OutputFolder& folder, const TrafficOptions& options, const config::MachineSpec& spec,
           const Arguments& arguments, const topology::TrafficCase& traffic, const Measured& measured,
           const report::RunSummary& summary) {
  const Points& points = measured.points;
  folder.write("summary.json",
               boost::json::object{{"schema_version", 1},
                                   {"title", title_of(options)},
                                   {"result", results_json(options.sweep, traffic, measured)}});
  if (options.scope.starts_with("sip"))
    folder.remove("network.json");
  else
    folder.write("network.json", report::network_json(traffic.network.graph));
  folder.write("results.csv", report::traffic_csv(traffic, points));
  folder.write("sources.csv", report::traffic_sources_csv(traffic, points));
  folder.write("links.csv", report::traffic_links_csv(traffic, points));
  if (options.sweep) folder.write("load_latency.csv", report::traffic_csv(traffic, points));
  folder.write_run({.command = "traffic",
                    .arguments = arguments,
                    .seed = options.seed.value_or(1),
                    .configuration = report::configuration_text(spec, nullptr),
                    .whole = measured.whole},
                   summary);
  if (!options.sweep) return;
  folder.draw("load_latency.gp",
              report::load_latency_script("load_latency", title_of(options), traffic, points));
}

void print(const TrafficOptions& options, const topology::TrafficCase& traffic, const Measured& measured) {
  const Points& points = measured.points;
  if (options.json) {
    std::cout << boost::json::serialize(results_json(options.sweep, traffic, measured)) << '\n';
    return;
  }
  fmt::print(
      "{}, {}\n{}", title_of(options), options.network.packets_text(options.request),
      options.sweep ? report::traffic_table(traffic, points) : report::to_text(traffic, points.front()));
  if (!measured.whole)
    fmt::print("interrupted: these are the {} that had {}, the rest is missing\n",
               options.sweep ? "points" : "packets", options.sweep ? "ended" : "arrived");
  std::fflush(stdout);
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
                 .likely = "scope"});
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
    const Measured measured = measure(options, traffic);
    const report::RunSummary summary = summary_of(measured.points, std::chrono::steady_clock::now() - start);
    if (folder) write(*folder, options, spec, with_topology(arguments), traffic, measured, summary);
    const bool any = !measured.points.empty();
    if (any) print(options, traffic, measured);
    if (any && !options.quiet) say("{}{}\n", report::to_text(summary), unnamed_topology(arguments));
    if (folder) write_report_page(options.out);
    return any && measured.whole ? ExitCode::ok : ExitCode::interrupted;
  });
}

}  // namespace kbsim::app
