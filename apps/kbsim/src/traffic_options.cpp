#include "traffic_options.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/hw/fabric/model_catalog.hpp"

#include "memory_option.hpp"
#include "profile_option.hpp"
#include "watchdog_option.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

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
  add("packets", whole("packets", "N", {1, hw::kMostPackets}, &o.request.packets),
      "how many are measured at each point (default 100000, on average)");
  add("warmup", whole("warmup", "N", {.most = hw::kMostPackets}, &o.request.warmup),
      "how many go before them, and after them (default 10000; none after with --window-only)");
  add("window-only", po::bool_switch(&o.request.window_only),
      "end with the time that is measured, rather than when the last packet that was sent in it has arrived");
  add("exact-packets", po::bool_switch(&o.request.by_events),
      "an event for each packet at each hop; no number may change but how many events there are");
  add("seed", whole("seed", "N", {}, &o.seed), "of all random draws (default 1)");
}

// The smallest flit of all routers that are router_iq.
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

}  // namespace

po::options_description describe(TrafficOptions& o) {
  po::options_description all{"options of kbsim traffic"};
  o.machine.describe(all);
  describe_memory(all);
  describe_watchdog(o.watchdog, all);
  describe_profile(all);
  describe_traffic(o, all);
  auto add = all.add_options();
  add("out", po::value(&o.out)->value_name("DIR"),
      "folder for results.csv, sources.csv, links.csv, summary.json, run.json, config.resolved.yaml and "
      "report.html, a page of all of them; for a bare network also network.json, with --sweep the figure");
  add("json", po::bool_switch(&o.json), "print the result as JSON, and nothing else, on stdout");
  add("quiet", po::bool_switch(&o.quiet),
      "print no progress, no summary and no names of written files on stderr");
  add("shuffle-ties", whole("shuffle-ties", "SEED", {}, &o.shuffle_ties),
      "run events of equal time in random order; no result may change");
  add("num-threads", whole("num-threads", "N", {.most = 1024}, &o.num_threads),
      "simulations of a sweep that run at a time (default: one per core)");
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

double asked_rate(const TrafficOptions& o, const topology::TrafficCase& traffic) {
  if (o.rate && !(*o.rate > 0.0 && *o.rate <= hw::kMostRate))
    throw UsageError{
        fmt::format("--rate {}: expected above 0 and at most {:g} packets a service time and source", *o.rate,
                    hw::kMostRate)};
  if (o.rate) return *o.rate;
  if (!o.load) return traffic.pattern.rate;  // a matrix as it stands
  if (!(*o.load > 0.0 && *o.load <= 1.0))
    throw UsageError{
        fmt::format("--load {}: expected a fraction of the bound, above 0 and at most 1", *o.load)};
  return *o.load * traffic.bound;
}

void fill_request(TrafficOptions& o) {
  if (o.arrivals) o.request.arrivals = hw::arrivals_named(*o.arrivals);
  o.network.fill(o.request);
  o.request.seed = static_cast<std::uint64_t>(o.seed.value_or(1));
  o.request.simulation.shuffle_ties = o.shuffle_ties;
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

// Packets are the traffic's own, and no memory or engine takes part. A bare network has only the machine's
// NOC.
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

}  // namespace kbsim::app
