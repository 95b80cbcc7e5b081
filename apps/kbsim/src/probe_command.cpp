// kbsim probe: latency and bandwidth of single paths, alone and under contention.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/model_version.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/evaluate/settings.hpp"
#include "kbsim/host/probe.hpp"
#include "kbsim/report/text_table.hpp"
#include "kbsim/signals/stop_signals.hpp"

#include "commands.hpp"
#include "machine_options.hpp"
#include "memory_option.hpp"
#include "profile_option.hpp"
#include "size_option.hpp"
#include "standing_line.hpp"
#include "watchdog_option.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
using host::ProbeResult;

struct ProbeOptions {
  MachineOptions machine;
  std::vector<std::string> cases;
  std::string bytes;  // none: 4 KiB, or as many as all cases have room for
  bool json = false;
  bool hops = false;
  bool quiet = false;
  bool wide = false;
  WatchdogLimit::Seconds watchdog{};
  std::optional<std::uint64_t> shuffle_ties;
};

// Counts transfers, whose results are printed when all have ended. Until then a terminal shows how many have
// ended, or the progress of a single one.
class Probing {
 public:
  Probing(std::size_t all, bool shown) : line_{{.shown = shown, .start = std::chrono::steady_clock::now()}} {
    if (all < 2) return;
    stage_.emplace("transfers", all);
    work_.emplace("probing", "transfers", all);
  }
  void ended() {
    if (!work_) return;
    stage_->ended();
    work_->ended();
  }

 private:
  std::optional<Stage> stage_;
  std::optional<HostWork> work_;
  StandingLine line_;
};

// A machine, the algorithm whose queues it uses, and the cases that the machine can run.
struct Prober {
  config::MachineSpec machine;
  config::AlgorithmSpec algorithm;
  std::vector<std::string> cases;
  SimulationOptions simulation;
  bool progress = true;
  report::Columns columns = report::Columns::usual;

  [[nodiscard]] ProbeResult run(const std::string& name, Bytes bytes, int sources = 1) const {
    return host::probe(machine, algorithm, name, bytes, sources, simulation);
  }
  [[nodiscard]] ProbeResult alone(const std::string& name, Bytes bytes) const {
    const Probing probing{1, progress};
    return run(name, bytes);
  }
  // Bytes that all cases have room for.
  [[nodiscard]] Bytes most() const {
    Bytes least = machine.hbm_per_pe();
    for (const std::string& name : cases) least = std::min(least, host::most_bytes(name, machine));
    return least;
  }
};

// Why another slice of the cube may be nearer than a PE's own.
void print_floor_plan(const std::map<std::string, ProbeResult>& results) {
  const auto own = results.find("pe-local-hbm");
  const auto other = results.find("pe-same-cube-hbm");
  if (own == results.end() || other == results.end()) return;
  if (other->second.split.wire >= own->second.split.wire) return;
  fmt::print(
      "{}",
      wrapped(fmt::format("  A PE reaches all slices of its cube, its own too, through the crossbar "
                          "in the middle. From there its own is {:g} mm away, that of "
                          "pe-same-cube-hbm {:g} mm: the floor plan gives the latter less wire.\n",
                          own->second.crossbar_mm.value_or(0.0), other->second.crossbar_mm.value_or(0.0)),
              2));
}

// A link without the end of its second name that the first one also begins with:
// "sip0.cube0.pe0.pe_tcm>pe_dma".
std::string short_link(const std::string& link) {
  const std::size_t arrow = link.find('>');
  if (arrow == std::string::npos) return link;
  const std::size_t from = link.rfind('.', arrow) + 1;  // 0 without a point
  const std::string_view to = std::string_view{link}.substr(arrow + 1);
  const bool same = from > 0 && to.starts_with(std::string_view{link}.substr(0, from));
  return same ? link.substr(0, arrow + 1) + std::string{to.substr(from)} : link;
}

report::TextTable summary_table(report::Columns columns) {
  return {{{.title = "case", .is_text = true},
           {.title = "total_ns"},
           {.title = "overhead_ns", .is_wide = true},
           {.title = "wire_ns", .is_wide = true},
           {.title = "drain_ns", .is_wide = true},
           {.title = "slot_ns", .is_wide = true},
           {.title = "queue_ns", .is_wide = true},
           {.title = "eff_GBps"},
           {.title = "util", .is_wide = true},
           {.title = "bottleneck", .is_text = true}},
          columns};
}

std::vector<std::string> summary_cells(const std::string& name, const ProbeResult& result,
                                       report::Columns columns) {
  const auto ns = [](Time time) { return fmt::format("{:.3f}", to_ns(time)); };
  return {name,
          ns(result.took()),
          ns(result.split.overhead),
          ns(result.split.wire),
          ns(result.split.drain),
          ns(result.slot_wait),
          ns(result.split.queueing),
          fmt::format("{:.2f}", result.effective_gbs()),
          fmt::format("{:.1f}%", 100.0 * result.utilization()),
          columns == report::Columns::all
              ? fmt::format("{} ({:g} GB/s)", result.bottleneck, result.bottleneck_rate.gbs())
              : short_link(result.bottleneck)};
}

void print_summary(const Prober& prober, Bytes bytes) {
  std::map<std::string, ProbeResult> results;
  report::TextTable table = summary_table(prober.columns);
  const auto print = [&] { fmt::print("{} each, alone:\n{}", to_string(bytes), table.text()); };
  try {
    for (const std::string& name : prober.cases) {
      const ProbeResult& result = results.emplace(name, prober.alone(name, bytes)).first->second;
      table.add(summary_cells(name, result, prober.columns));
    }
  } catch (const Interrupted&) {
    print();
    throw;
  }
  print();
  print_floor_plan(results);
}

constexpr std::int64_t kSmallest = 4LL << 10;
constexpr std::int64_t kLargest = 1LL << 20;
constexpr int kNameWidth = 21;
constexpr double kSaturated = 0.9;

std::size_t saturation_sizes(const Prober& prober, const std::string& name) {
  std::size_t sizes = 0;
  for (std::int64_t n = kSmallest; n <= kLargest && Bytes{n} <= host::most_bytes(name, prober.machine);
       n *= 2)
    ++sizes;
  return sizes;
}

// The rate of the bytes that the larger transfer adds: below 90 %, no size reaches that.
bool never_saturates(const ProbeResult& half, const ProbeResult& largest) {
  const auto more = static_cast<double>((largest.bytes - half.bytes).count());
  const double rate = more / to_ns(largest.took() - half.took());
  return rate < kSaturated * largest.bottleneck_rate.gbs();
}

// Whether a path reaches 90 %, by its transfers in order of size.
std::string verdict_on(const std::vector<ProbeResult>& transfers) {
  if (transfers.empty()) return "-";
  const auto reached = std::ranges::find_if(
      transfers, [](const ProbeResult& transfer) { return transfer.utilization() >= kSaturated; });
  if (reached != transfers.end()) return "at " + to_string(reached->bytes);
  const ProbeResult& largest = transfers.back();
  if (transfers.size() < 2 || !never_saturates(transfers[transfers.size() - 2], largest))
    return "beyond " + to_string(largest.bytes);
  return largest.slot_wait > largest.split.queueing ? "never: slots" : "never: queueing";
}

// Every other size, without --wide.
bool is_shown(std::int64_t n, report::Columns columns) {
  constexpr unsigned kEach = 2;
  return columns == report::Columns::all ||
         std::countr_zero(static_cast<std::uint64_t>(n / kSmallest)) % kEach == 0;
}

// A row is printed when it is complete. Sizes that the machine has no room for aren't run.
std::string saturation_row(const Prober& prober, const std::string& name) {
  std::string cells;
  const auto add_cell = [&](std::int64_t n, const std::string& cell) {
    if (is_shown(n, prober.columns)) cells += fmt::format("{:>8}", cell);
  };
  std::vector<ProbeResult> transfers;
  Probing probing{saturation_sizes(prober, name), prober.progress};
  for (std::int64_t n = kSmallest; n <= kLargest; n *= 2) {
    if (Bytes{n} > host::most_bytes(name, prober.machine)) {
      add_cell(n, "-");
      continue;
    }
    transfers.push_back(prober.run(name, Bytes{n}));
    probing.ended();
    add_cell(n, fmt::format("{:.1f}%", 100.0 * transfers.back().utilization()));
  }
  return fmt::format("  {:<{}}{}  {}\n", name, kNameWidth, cells, verdict_on(transfers));
}

void print_saturation(const Prober& prober) {
  std::string head = fmt::format("  {:<{}}", "case", kNameWidth);
  for (std::int64_t n = kSmallest; n <= kLargest; n *= 2) {
    if (is_shown(n, prober.columns)) head += fmt::format("{:>8}", to_string(Bytes{n}));
  }
  fmt::print("\nutilization against size:\n{}\n", in_role(Role::head, head + "  reaches 90 %"));
  for (const std::string& name : prober.cases) fmt::print("{}", saturation_row(prober, name));
}

void print_hops(const Prober& prober, Bytes bytes) {
  fmt::print("\nhops of the request and of the last packet of its data (ns since the start):\n");
  for (const std::string& name : prober.cases) {
    const ProbeResult result = prober.alone(name, bytes);
    fmt::print("  {}\n", name);
    for (const host::ProbeHop& hop : result.hops) {
      fmt::print("    {:<28} arrives {:>12.3f}  departs {:>12.3f}\n", hop.node, to_ns(hop.arrive),
                 to_ns(hop.depart));
    }
  }
}

std::string contention_row(const Prober& prober, const std::string& name, Bytes bytes, int most) {
  Probing probing{static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(most))), prober.progress};
  std::string row = fmt::format("  {:<{}}", name, kNameWidth);
  for (int k = 1; k <= most; k *= 2) {
    const ProbeResult result = prober.run(name, bytes, k);
    probing.ended();
    const auto slowest = std::ranges::max(result.flows, {}, &host::ProbeFlow::took);
    const double each = static_cast<double>(bytes.count()) / to_ns(slowest.took());
    row += fmt::format("{:>14}", fmt::format("{:.1f}/{:.1f}", each, result.total_gbs()));
  }
  return row + "\n";
}

void print_contention(const Prober& prober, Bytes bytes) {
  std::string head = fmt::format("  {:<{}}", "case", kNameWidth);
  const int most = std::min(8, prober.machine.pes_per_cube());
  for (int k = 1; k <= most; k *= 2) head += fmt::format("{:>14}", fmt::format("k={}", k));
  fmt::print("\nk sources at once, {} each (GB/s of the slowest, and of all):\n{}\n", to_string(bytes),
             in_role(Role::head, head));
  for (const std::string& name : prober.cases) fmt::print("{}", contention_row(prober, name, bytes, most));
}

boost::json::object to_json(const std::string& name, const ProbeResult& result) {
  boost::json::array hops;
  for (const host::ProbeHop& hop : result.hops) {
    hops.push_back({{"node", hop.node}, {"arrive_ns", to_ns(hop.arrive)}, {"depart_ns", to_ns(hop.depart)}});
  }
  boost::json::object json{
      {"name", name},
      {"bytes", result.bytes.count()},
      {"total_ns", to_ns(result.took())},
      {"overhead_ns", to_ns(result.split.overhead)},
      {"wire_ns", to_ns(result.split.wire)},
      {"drain_ns", to_ns(result.split.drain)},
      {"slot_wait_ns", to_ns(result.slot_wait)},
      {"queue_ns", to_ns(result.split.queueing)},
      {"bottleneck", {{"link", result.bottleneck}, {"gbs", result.bottleneck_rate.gbs()}}},
      {"effective_gbs", result.effective_gbs()},
      {"utilization", result.utilization()},
      {"hops", std::move(hops)}};
  if (result.crossbar_mm) json["crossbar_mm"] = *result.crossbar_mm;
  return json;
}

// Prints the cases that have ended if a signal asks for the end.
void print_json(const Prober& prober, Bytes bytes) {
  boost::json::object all{{"model_version", kModelVersion}, {"cases", boost::json::array{}}};
  try {
    Probing probing{prober.cases.size(), prober.progress};
    for (const std::string& name : prober.cases) {
      all["cases"].as_array().push_back(to_json(name, prober.run(name, bytes)));
      probing.ended();
    }
  } catch (const Interrupted&) {
    all["interrupted"] = true;
    std::cout << json_as_utf8(boost::json::serialize(all)) << '\n';
    throw;
  }
  std::cout << json_as_utf8(boost::json::serialize(all)) << '\n';
}

void print_tables(const Prober& prober, Bytes bytes, bool with_hops) {
  try {
    print_summary(prober, bytes);
    print_saturation(prober);
    if (with_hops) print_hops(prober, bytes);
    print_contention(prober, std::min(64_KiB, prober.most()));
  } catch (const Interrupted&) {
    fmt::print("\ninterrupted: these are the cases that had ended, the rest is missing\n");
    throw;
  }
}

// The requested cases, else all that the machine has the parts for; the others are named on stderr.
std::vector<std::string> chosen(const ProbeOptions& options, const config::MachineSpec& machine) {
  std::set<std::string> seen;
  for (const std::string& name : options.cases) {
    if (name.find(',') != std::string::npos)
      throw UsageError{fmt::format("--case {}: is a single case; several are --case A --case B", name)};
    if (const auto missing = host::missing_for(name, machine)) throw UsageError{name + " " + *missing};
    if (!seen.insert(name).second) throw UsageError{fmt::format("--case {}: is given twice", name)};
  }
  if (!options.cases.empty()) return options.cases;
  std::vector<std::string> names;
  for (const host::ProbeCase& known : host::probe_cases()) {
    const auto missing = host::missing_for(known.name, machine);
    if (missing && options.quiet) continue;
    if (missing) {
      say("kbsim: {} left out: it {}\n", known.name, *missing);
    } else {
      names.push_back(known.name);
    }
  }
  return names;
}

// Reports the case with the least room, not the first one that is too small.
void check_size(const Prober& prober, Bytes bytes) {
  const auto most_of = [&](const std::string& name) { return host::most_bytes(name, prober.machine); };
  const auto least = std::ranges::min_element(prober.cases, {}, most_of);
  if (least == prober.cases.end() || bytes <= most_of(*least)) return;
  throw UsageError{fmt::format("--bytes {}: expected at most {}, what the memories of {} have room for",
                               to_string(bytes), to_string(most_of(*least)), *least)};
}

std::string case_help() {
  std::string text = "\ncases:\n";
  for (const host::ProbeCase& known : host::probe_cases())
    text += wrapped(fmt::format("  {:<22}{}\n", known.name, known.doc), 24);
  return text;
}

po::options_description description(ProbeOptions& options) {
  po::options_description all{"options of kbsim probe"};
  options.machine.describe(all);
  describe_memory(all);
  describe_watchdog(options.watchdog, all);
  describe_profile(all);
  auto add = all.add_options();
  add("case", po::value(&options.cases)->value_name("NAME")->composing(), "only this case; repeatable");
  add("bytes", po::value(&options.bytes)->value_name("SIZE"),
      "size of a transfer (default: 4KiB, or less if a case has less room)");
  add("hops", po::bool_switch(&options.hops),
      "print the hops of every case, as a run of one --case always does");
  add("json", po::bool_switch(&options.json),
      "print the summary and the hops as JSON, and nothing else, on stdout");
  add("quiet", po::bool_switch(&options.quiet), "print no progress and no list of skipped cases on stderr");
  add("wide", po::bool_switch(&options.wide), "print all columns, also if they need more than 80");
  add("shuffle-ties", whole("shuffle-ties", "SEED", {}, &options.shuffle_ties),
      "run events of equal time in random order; no result may change");
  return all;
}

Bytes bytes_of(const ProbeOptions& options, const Prober& prober) {
  if (options.bytes.empty()) return std::min(4_KiB, prober.most());
  const Bytes bytes = size_given("--bytes", options.bytes);
  if (bytes < 1_B) throw UsageError{"--bytes " + options.bytes + ": expected at least one byte"};
  return bytes;
}

// Reads the configuration; refuses settings without effect.
config::Configuration load(const ProbeOptions& options) {
  const config::Configuration configuration = options.machine.load();
  evaluate::require_effect({.name = "kbsim probe",
                            .algorithms = evaluate::Algorithms::one,
                            .unused = {{"ccl.*.n_elem", "a transfer is as large as --bytes says"},
                                       {"ccl.*.kernel", "it has kernels of its own"},
                                       {"ccl.*.collective", "it has kernels of its own"},
                                       {"ccl.*.topology", "it joins the PEs of its cases"},
                                       {"ccl.*.mapper", "it joins the PEs of its cases"},
                                       {"ccl.*.validator", "it has tensors of its own"}}},
                           {.set = options.machine.set, .ccl = options.machine.ccl}, configuration);
  return configuration;
}

Prober prober_of(const ProbeOptions& options) {
  const auto& [machine, ccl, notes, text] = load(options);
  Prober prober{.machine = machine,
                .algorithm = ccl.resolve(""),
                .cases = chosen(options, machine),
                .simulation = {},
                .progress = !options.quiet,
                .columns = options.wide ? report::Columns::all : report::Columns::usual};
  prober.simulation.shuffle_ties = options.shuffle_ties;
  return prober;
}

}  // namespace

ExitCode probe(const Arguments& arguments) {
  ProbeOptions options;
  po::options_description all = description(options);
  parse_options(arguments, all,
                {.usage = "kbsim probe [--topology FILE] [--case NAME] [options]",
                 .examples = case_help(),
                 .likely = "case"});
  if (options.wide && options.json)
    throw UsageError{"--wide has no effect with --json, which has all columns"};
  const Prober prober = prober_of(options);
  const Bytes bytes = bytes_of(options, prober);
  check_size(prober, bytes);
  const StopSignals signals;
  const WatchdogLimit watchdog{options.watchdog};
  if (options.json)
    print_json(prober, bytes);
  else
    print_tables(prober, bytes, options.hops || prober.cases.size() == 1);
  return ExitCode::ok;
}

}  // namespace kbsim::app
