// The options of kbsim run.
#include "run_options.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/environment.hpp"
#include "kbsim/base/names.hpp"

#include "memory_option.hpp"
#include "profile_option.hpp"
#include "report_page.hpp"
#include "watchdog_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

oplog::RaceMode race_mode(const std::string& text) {
  if (text == "off") return oplog::RaceMode::off;
  if (text == "warn") return oplog::RaceMode::warn;
  if (text == "error") return oplog::RaceMode::error;
  throw UsageError{fmt::format("--race must be error, warn or off, got '{}'{}", text,
                               near_hint(text, {"error", "warn", "off"}))};
}

// Reads a whole number as a signed one: as an unsigned one, -1 would be the largest number.
auto whole(const char* option, const char* value_name, std::int64_t max,
           const std::function<void(std::uint64_t)>& set) {
  return po::value<std::int64_t>()->value_name(value_name)->notifier([=](std::int64_t value) {
    if (value < 0 || value > max)
      throw UsageError{fmt::format("--{} must be 0 to {}, got {}", option, max, value)};
    set(static_cast<std::uint64_t>(value));
  });
}

// The time from 0 on at which a run stops: the earliest that an option gives.
Time stop_of(const RunOptions& options) {
  Time first = kForever;
  for (const auto& [name, ns] :
       {std::pair{"stop-at", options.stop_at_ns}, std::pair{"max-sim-time", options.max_sim_time_ns}}) {
    if (!ns) continue;
    if (!(*ns >= 0)) throw UsageError{fmt::format("--{} must be a time from 0 on, got {}", name, *ns)};
    try {
      first = std::min(first, from_ns(*ns));
    } catch (const UsageError& error) {
      throw UsageError{fmt::format("--{}: {}", name, error.what())};
    }
  }
  return first;
}

// Refuses options that need the values that --timing-only leaves out.
void require_values_wanted(const RunOptions& options) {
  const auto refuse = [](const char* other, const char* why) {
    throw UsageError{fmt::format("--timing-only and {}: {}", other, why)};
  };
  if (!options.oplog.empty()) refuse("--oplog", "a run that records no values has no op log");
  if (options.verify_data) refuse("--verify-data", "a run that records no values has none to verify");
  if (options.explain_of && options.explain_of->kind == explain::PathQuestion::Kind::op)
    refuse("--of op", "a run that records no operations has none to ask about");
  if (options.race && *options.race != oplog::RaceMode::off)
    refuse("--race", "a run that records no operations finds no races among them");
}

// A page doesn't need causes, and no error is reported without them.
Causes::Options why_options(const RunOptions& options) {
  constexpr std::size_t kMostForPage = std::size_t{1} << 22U;  // 235 MB
  constexpr std::size_t kAllCauses = std::size_t{1} << 21U;    // 56 bytes each
  return options.explain ? Causes::Options{.all = kAllCauses}
                         : Causes::Options{.most = kMostForPage, .optional = true};
}

bool prints_choices() { return environment_choice("KBSIM_CCL_DEBUG", {"INFO"}) == "INFO"; }

}  // namespace

const std::string kRunExamples = R"(
examples:
  kbsim --topology topology.yaml --bench ccl_allreduce
  kbsim --topology topology.yaml --bench ccl_allreduce --set system.sips.count=8 --json
  kbsim --topology topology.yaml --bench ccl --algorithm ring_all_gather -b 1K -e 1M -f 4
  kbsim --topology topology.yaml --bench ccl_allreduce --set ccl.defaults.n_slots=1 --verify-data
)";

const std::string kExplainExamples = R"(
examples:
  kbsim explain --bench ccl_allreduce
  kbsim explain --bench ccl_allreduce --of collective:1 --recheck
  kbsim explain --bench ccl --algorithm ring_allreduce_tcm -b 64K -e 64K --of row:1
  kbsim explain --bench ccl_allreduce --out results
)";

po::options_description description(RunOptions& o) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  po::options_description all{"options of kbsim run"};
  o.machine.describe(all);
  describe_memory(all);
  describe_watchdog(o.watchdog, all);
  describe_profile(all);
  auto add = all.add_options();
  add("bench", po::value(&o.bench)->value_name("NAME")->required(), "what to run on it; see kbsim list");
  add("algorithm", po::value(&o.algorithm)->value_name("NAME"),
      "collective algorithm of the ccl file, or a plan's file: MSCCL's XML, MSCCL++'s JSON (default: its "
      "defaults.algorithm)");
  add("buffer-kind",
      po::value<std::string>()->value_name("tcm|hbm|sram")->notifier([&](const std::string& v) {
        o.buffer_kind = v;
      }),
      "memory of its queues' slots, in place of what the ccl file says: tcm, hbm or sram");
  add("device", po::value(&o.device)->value_name("sip:N|all"),
      "the package that the bench runs on, or all for a copy on each (default: as the bench says)");
  add("verify-data", po::bool_switch(&o.verify_data), "print the check of every tensor");
  add("timing-only", po::bool_switch(&o.timing_only),
      "record no values and check none: for the longest runs");
  add("oplog", po::value(&o.oplog)->value_name("FILE"),
      "write the op log, and print what kbsim replay FILE will print");
  add("chakra", po::value(&o.chakra)->value_name("DIR"),
      "write Chakra execution traces, a file a rank: DIR/BENCH.0.et, ...");
  add("trace", po::value(&o.trace.file)->value_name("FILE"),
      "write who did what when: FILE.pftrace for Perfetto, .json for Chrome and Kineto's readers, .html a "
      "page, "
      ".svg a picture");
  add("trace-dir", po::value(&o.trace.folder)->value_name("DIR"),
      "the same as .json, a file a rank: DIR/rank0.json, ...");
  add("trace-window", po::value(&o.trace.window)->value_name("FROM:TO"), "of it only these times, in ns");
  add("trace-units", po::value(&o.trace.units)->value_name("GLOB"),
      "of it only ranks, units and links of such names, links and memory ports too: '*', 'sip0.cube0.*'");
  add("trace-unit", po::value(&o.trace.unit)->value_name("ns|ps"),
      "of .pftrace: ps writes each ps as a ns, so that what is shorter than a ns is seen (default: ns)");
  add("trace-packets", po::bool_switch(&o.trace.packets),
      "each packet a slice of its own on links and memory ports; otherwise a message's, one after the other");
  add("trace-limit", whole("trace-limit", "N", kMax, [&](std::uint64_t v) { o.trace.most = v; }),
      "slices that a trace may have (default: 10000000)");
  add("json", po::bool_switch(&o.json), "print the result as JSON, and nothing else, on stdout");
  add("out", po::value(&o.out)->value_name("DIR"),
      "write summary.json, results.csv, links.csv, units.csv, orders.csv, launches.csv, run.json, "
      "config.resolved.yaml, explain.json, spans.json and a page of all of it, report.html, there");
  add("no-report", po::bool_switch(&o.no_report),
      "with --out: no report.html, and nothing is recorded for it; the run takes less time");
  add("reuse", po::bool_switch(&o.reuse),
      "of an evaluation: simulate nothing, make text and figures again from the rows in --out");
  add("quiet", po::bool_switch(&o.quiet)->notifier([&o](bool quiet) { o.trace.quiet = quiet; }),
      "no progress and no summary on stderr, and no line of what was written");
  add("dry-run", po::bool_switch(&o.dry_run), "read and check everything, run nothing, say what would run");
  add("verbose", po::bool_switch(&o.verbose),
      "of a deadlock: all who wait and all queues, not its cycles alone");
  add("explain", po::bool_switch(&o.explain),
      "say why it takes as long as it does: the critical path, and what each key of the machine adds to it");
  add("of",
      po::value<std::string>()
          ->value_name("run|launch:N|collective:N|op:LANE:N|row:N")
          ->notifier([&](const std::string& v) { o.explain_of = explain::question_of(v); }),
      "with --explain: of what (default: run). Launches, collectives and rows count from 1: row 0 of "
      "launches.csv is launch:1; operations as the op log counts, op:sip0.cube0.pe0:17");
  add("recheck", po::bool_switch(&o.recheck),
      "with --explain: run again with a little and with 10 % less and more of its keys, and print what was "
      "predicted beside what is simulated");
  add("dump-queues", po::bool_switch(&o.dump_queues),
      "print each PE's queues at the end on stderr: counters, and where their rings lie");
  add("parallel-bound", po::bool_switch(&o.parallel_bound),
      "print on stderr what threads could give this run at most, by package and by cube");
  add("shuffle-ties", whole("shuffle-ties", "SEED", kMax, [&](std::uint64_t v) { o.shuffle_ties = v; }),
      "run events of equal time in random order; no result may change");
  add("exact-packets", po::bool_switch(&o.exact_packets),
      "an event for each packet at each hop: the same numbers, slower; --explain and --parallel-bound have "
      "it "
      "anyway");
  add("race", po::value<std::string>()->value_name("error|warn|off")->notifier([&](const std::string& v) {
    o.race = race_mode(v);
  }),
      "accesses of one place that nothing orders: error (exit code 8), warn (the default), or off");
  add("stop-at", po::value<double>()->value_name("NS")->notifier([&](double v) { o.stop_at_ns = v; }),
      "stop at this simulated time (exit code 4)");
  add("max-sim-time",
      po::value<double>()->value_name("NS")->notifier([&](double v) { o.max_sim_time_ns = v; }),
      "a run that takes longer is a runaway: stop there (exit code 4)");
  add("max-events", whole("max-events", "N", kMax, [&](std::uint64_t v) { o.max_events = v; }),
      "stop after so many events (exit code 4)");
  add("num-threads", whole("num-threads", "N", 1024, [&](std::uint64_t v) { o.num_threads = v; }),
      "threads that compute the numbers (default: all); two or more simulate packages side by side, where "
      "that "
      "can be (default: one)");
  return all;
}

std::optional<config::BufferKind> buffer_kind_of(const RunOptions& options) {
  if (!options.buffer_kind) return std::nullopt;
  const std::optional<config::BufferKind> kind = config::buffer_kind_of(*options.buffer_kind);
  if (!kind)
    throw UsageError{fmt::format("--buffer-kind must be tcm, hbm or sram, got '{}'{}", *options.buffer_kind,
                                 near_hint(*options.buffer_kind, {"tcm", "hbm", "sram"}))};
  return kind;
}

// Recording makes each packet an event of its own, and --max-events counts events.
bool is_recorded(const RunOptions& options) { return has_page(options) && !options.max_events; }

void require_explained(const RunOptions& options) {
  if (options.explain) return;
  if (options.explain_of) throw UsageError{"--of has no effect without --explain"};
  if (options.recheck) throw UsageError{"--recheck has no effect without --explain"};
}

host::SessionOptions session_options(const RunOptions& options, const config::CclSpec& ccl) {
  if (options.timing_only) require_values_wanted(options);
  require_explained(options);
  if (options.explain_of && options.explain_of->kind == explain::PathQuestion::Kind::row)
    throw UsageError{
        fmt::format("--of {}: {} is a single simulation, and has no rows; see launch:N and op:LANE:N",
                    as_asked(*options.explain_of), options.bench)};
  const oplog::RaceMode usual = options.timing_only ? oplog::RaceMode::off : oplog::RaceMode::warn;
  host::SessionOptions result{.simulation = {.shuffle_ties = options.shuffle_ties,
                                             .causes = options.explain || is_recorded(options),
                                             .why = why_options(options)},
                              .replay_threads = static_cast<unsigned>(options.num_threads),
                              .races = options.race.value_or(usual),
                              .timing_only = options.timing_only,
                              .exact_packets = options.exact_packets || options.parallel_bound,
                              .ccl = ccl,
                              .choices = prints_choices() ? stderr : nullptr};
  result.simulation.stop_at = stop_of(options);
  if (options.max_events) result.simulation.max_events = *options.max_events;
  return result;
}

}  // namespace kbsim::app
