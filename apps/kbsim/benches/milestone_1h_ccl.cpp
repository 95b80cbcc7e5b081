// How long do all-reduces take: over topologies of packages, sizes, algorithms, and memories of the slots?
//
// Each is simulated alone, checked, and held against an alpha-beta bound of the machine's own links.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/field.hpp"
#include "kbsim/evaluate/ccl_point.hpp"
#include "kbsim/evaluate/direct_run.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/host/probe.hpp"
#include "kbsim/report/ccl_figures.hpp"
#include "kbsim/report/correlation.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/text_table.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::app::milestone_1h_ccl_bench {
namespace {

struct Joined {
  config::SipTopology topology;
  int packages;
};
constexpr std::array<Joined, 3> kJoined{{{config::SipTopology::ring_1d, 2},
                                         {config::SipTopology::torus_2d, 4},
                                         {config::SipTopology::mesh_2d_no_wrap, 4}}};
constexpr std::array kSizes{64_B, 1024_B, 4096_B, 16384_B};
constexpr std::array kKinds{config::BufferKind::tcm, config::BufferKind::hbm, config::BufferKind::sram};

config::MachineSpec machine_of(config::MachineSpec machine, const Joined& joined) {
  machine.system.sips.count = joined.packages;
  machine.system.sips.topology = joined.topology;
  machine.system.sips.w = machine.system.sips.h = 0;
  return machine;
}

/// The least time of any all-reduce: a message's latency to another package, plus the time to send a
/// package's share, 2 (N - 1) / N of the vector, over all its links to others.
class Bound {
 public:
  Bound(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm) {
    const topology::SipGrid grid{machine.system.sips};
    int links = 0;
    for (const topology::Side side : topology::kSides) links += grid.neighbour(0, side) ? 1 : 0;
    const int n = machine.system.sips.count;
    alpha_ns_ = to_ns(host::probe(machine, algorithm, "pe-ipcq-other-sip", 1_B).took());
    ns_per_byte_ = 2.0 * (n - 1) / n / (links * machine.system.sips.link.bandwidth.gbs());
  }
  [[nodiscard]] double us(double bytes) const { return (alpha_ns_ + ns_per_byte_ * bytes) / 1000.0; }

 private:
  double alpha_ns_ = 0.0;
  double ns_per_byte_ = 0.0;
};

// Algorithms for a fixed number of ranks are for PEs, not for packages.
bool fits(const config::AlgorithmSpec& algorithm, const Joined& joined) {
  if (algorithm.collective != config::Collective::all_reduce || algorithm.world_size != 0) return false;
  const bool needs_torus = algorithm.topology == "torus_2d" || algorithm.topology == "mesh_2d";
  return !needs_torus || joined.topology == config::SipTopology::torus_2d;
}

// Limits of picks, which are sections, count for nothing here.
bool equal_but_for_memory(const config::AlgorithmSpec& a, const config::AlgorithmSpec& b) {
  return a.own == b.own && std::ranges::all_of(fields_of<config::AlgorithmSpec>(), [&](const Field& key) {
           return !key.get || key.name == "buffer_kind" || key.get(&a) == key.get(&b);
         });
}

// Algorithms that differ in nothing but their name and the memory of their slots are one here.
std::vector<config::AlgorithmSpec> algorithms_of(const config::CclSpec& ccl, const Joined& joined) {
  std::vector<config::AlgorithmSpec> all;
  for (const auto& [name, algorithm] : ccl.algorithms) {
    const bool another = std::ranges::any_of(
        all, [&](const config::AlgorithmSpec& known) { return equal_but_for_memory(known, algorithm); });
    if (fits(algorithm, joined) && !another) all.push_back(algorithm);
  }
  return all;
}

// The algorithm declared with its slots there, or this one with its slots moved.
config::AlgorithmSpec with_slots_in(config::BufferKind kind, config::AlgorithmSpec algorithm,
                                    const config::CclSpec& ccl) {
  for (const auto& [name, other] : ccl.algorithms) {
    if (equal_but_for_memory(other, algorithm) && other.buffer_kind == kind) return other;
  }
  algorithm.buffer_kind = kind;
  return algorithm;
}

// Label in figures and tables, for any memory: the kernel, or the name if several algorithms share the
// kernel.
std::string label_of(const config::AlgorithmSpec& algorithm, const std::vector<config::AlgorithmSpec>& all) {
  const bool alone = std::ranges::count(all, algorithm.kernel, &config::AlgorithmSpec::kernel) == 1;
  return alone ? algorithm.kernel : algorithm.name;
}

std::vector<evaluate::UnusedKey> unused_keys() {
  std::vector<evaluate::UnusedKey> keys{
      {"ccl.*.n_elem", "it runs vectors of 64 B to 16 KiB"},
      {"ccl.*.chosen_up_to", "no algorithm is picked"},
      {"ccl.*.chosen", "no algorithm is picked"},
      {"ccl.*.picked", "no algorithm is picked"},
      {"ccl.*.buffer_kind", "it runs with slots in each memory; --buffer-kind takes one"},
      {"ccl.defaults.algorithm", "it runs every all-reduce"}};
  for (const char* key : {"count", "topology", "w", "h"})
    keys.push_back({fmt::format("system.sips.{}", key),
                    "it runs on 2 packages in a ring, 4 in a torus and 4 in a mesh"});
  return keys;
}

struct Options {
  bool parity = false;

  static void describe(auto& f) {
    f.add("parity", &Options::parity,
          "1: each is also launched without dist, a kernel a package, and its values and time are compared");
  }
};

struct Case {
  evaluate::CclPoint point;
  std::string label;
  std::size_t joined;
};

std::string name_of(const Case& of) {
  const config::SipsSpec& sips = of.point.machine.system.sips;
  return fmt::format("{} of {} on {} packages, {}, slots in {}", to_string(of.point.size), of.label,
                     sips.count, config::to_string(sips.topology), to_string(of.point.algorithm.buffer_kind));
}

// Cases of one topology stand together, the largest last.
std::vector<Case> cases_of(const evaluate::EvaluationRequest& request) {
  if (!request.algorithm.empty()) throw UsageError{"milestone-1h-ccl runs all algorithms: no --algorithm"};
  std::vector<Case> cases;
  for (std::size_t j = 0; j < kJoined.size(); ++j) {
    const config::MachineSpec machine = machine_of(request.machine, kJoined[j]);
    const std::vector<config::AlgorithmSpec> algorithms = algorithms_of(request.ccl, kJoined[j]);
    for (const config::AlgorithmSpec& algorithm : algorithms) {
      for (const config::BufferKind kind : kKinds) {
        if (request.buffer_kind && *request.buffer_kind != kind) continue;
        const config::AlgorithmSpec placed = with_slots_in(kind, algorithm, request.ccl);
        for (const Bytes size : kSizes)
          cases.push_back({.point = {.machine = machine,
                                     .algorithm = placed,
                                     .size = size,
                                     .question = evaluate::question_of(request, cases.size())},
                           .label = label_of(algorithm, algorithms),
                           .joined = j});
      }
    }
  }
  return cases;
}

void check(const evaluate::EvaluationRequest& request) {
  std::set<config::SipTopology> built;
  const std::vector<Case> cases = cases_of(request);
  evaluate::require_asked(request, cases.size());
  for (const Case& each : cases) {
    if (built.insert(each.point.machine.system.sips.topology).second)
      evaluate::require_buildable(request, each.point.machine, cases.size());
    if (each.point.size == kSizes.back())
      evaluate::require_possible(each.point.machine, each.point.algorithm,
                                 {.n_elem = evaluate::elements_of(each.point)});
  }
}

// The same collective without dist must be right, too.
void add_parity(boost::json::object& row, const evaluate::CclPoint& point) {
  for (auto& [key, value] : evaluate::simulate_direct(point)) row[key] = value;
  row["correct"] = row.at("correct").as_bool() && row.at("direct_nwrong").to_number<std::int64_t>() == 0;
}

boost::json::object row_of(const Case& of, const Bound& bound, bool parity) {
  boost::json::object row = simulate(of.point);
  const topology::SipGrid grid{of.point.machine.system.sips};
  row["kernel"] = of.point.algorithm.kernel;
  row["label"] = of.label;
  row["sip_w"] = grid.width();
  row["sip_h"] = grid.height();
  row["bound_us"] = bound.us(row.at("size").to_number<double>());
  if (parity) add_parity(row, of.point);
  return row;
}

evaluate::Simulated simulate_all(const evaluate::EvaluationRequest& request) {
  std::vector<Bound> bounds;
  for (const Joined& joined : kJoined)
    bounds.emplace_back(machine_of(request.machine, joined), request.ccl.resolve(""));
  const std::vector<Case> cases = cases_of(request);
  const bool parity = request.own.as<Options>().parity;
  return evaluate::simulate_rows(
      wanted_rows(request, cases.size()), request.parallel, evaluate::BeginWith::last,
      [&](std::size_t i) { return row_of(cases[i], bounds[cases[i].joined], parity); }, "simulations",
      [&](std::size_t i) { return name_of(cases[i]); });
}

// Number of rows that take the same time without dist as with it.
std::string parity_text(const evaluate::Rows& rows) {
  if (!rows.front().as_object().contains("direct_us")) return "";
  const auto equal = std::ranges::count_if(rows, [](const boost::json::value& row) {
    return row.at("direct_us").to_number<double>() == row.at("time").to_number<double>();
  });
  const auto right = std::ranges::count_if(rows, [](const boost::json::value& row) {
    return row.at("direct_nwrong").to_number<std::int64_t>() == 0;
  });
  return fmt::format(" launched without dist: {} of {} right, {} take the same time\n", right, rows.size(),
                     equal);
}

std::vector<report::TextTable::Column> columns_of(bool limited) {
  std::vector<report::TextTable::Column> columns{{.title = "packages", .is_text = true},
                                                 {.title = "algorithm", .is_text = true},
                                                 {.title = "slots", .is_text = true},
                                                 {.title = "size", .unit = "(B)"},
                                                 {.title = "time", .unit = "(us)"},
                                                 {.title = "algbw", .unit = "(GB/s)", .is_wide = true},
                                                 {.title = "busbw", .unit = "(GB/s)", .is_wide = true},
                                                 {.title = "bound", .unit = "(%)", .is_wide = limited},
                                                 {.title = "#wrong", .is_wide = true}};
  if (limited) columns.push_back({.title = "limited by", .is_text = true});
  return columns;
}

std::string table(const evaluate::Rows& rows, report::Columns columns) {
  const bool limited = evaluate::has_limits(rows);
  report::TextTable table{columns_of(limited), columns};
  for (const auto& value : rows) {
    const boost::json::object& row = value.as_object();
    const auto number = [&](const char* key) { return row.at(key).to_number<double>(); };
    std::vector<std::string> cells{fmt::format("{} {}", row.at("world_size").to_number<int>(),
                                               std::string_view{row.at("sip_topology").as_string()}),
                                   std::string{row.at("label").as_string()},
                                   std::string{row.at("buffer_kind").as_string()},
                                   fmt::format("{:.0f}", number("size")),
                                   fmt::format("{:.3f}", number("time")),
                                   fmt::format("{:.3f}", number("alg_bw")),
                                   fmt::format("{:.3f}", number("bus_bw")),
                                   fmt::format("{:.1f}", 100.0 * number("bound_us") / number("time")),
                                   fmt::format("{:.0f}", number("nwrong"))};
    if (limited) cells.push_back(evaluate::limit_of(row));
    table.add(std::move(cells), number("nwrong") > 0 ? "WRONG" : "");
  }
  return " all-reduce of f16, sum; size: of each part; bound: 2 (N - 1) / N S over a\n"
         " package's links, and alpha\n" +
         table.text() + parity_text(rows);
}

void figures(const evaluate::Rows& rows, const report::OutputFolder& folder) {
  folder.write("summary.csv", report::to_csv(rows));
  for (const report::Figure& figure : report::ccl_figures(rows)) folder.draw(figure);
}

const bool kRegistered =
    (evaluate::evaluations().add(
         "milestone-1h-ccl",
         {.doc = "all-reduce: topologies of packages x sizes x algorithms x memories of the slots, "
                 "against an alpha-beta bound",
          .run = simulate_all,
          .text = [](const evaluate::Rows& rows) { return table(rows, report::Columns::usual); },
          .wide_text = [](const evaluate::Rows& rows) { return table(rows, report::Columns::all); },
          .figures = figures,
          .options = described_options<Options>(),
          .check = check,
          .algorithms = evaluate::Algorithms::any,
          .collective = config::Collective::all_reduce,
          .unused = unused_keys(),
          .folder = "1H_milestone_output/ccl",
          .explained = true,
          .times_by_size = true,
          .alone = "--bench ccl --algorithm NAME -b SIZE -e SIZE",
          .bench_of_one = "ccl_allreduce"}),
     true);

}  // namespace
}  // namespace kbsim::app::milestone_1h_ccl_bench
