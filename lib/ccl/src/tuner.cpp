#include "kbsim/ccl/tuner.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "kbsim/ccl/ranks.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::ccl {
namespace {

constexpr Time kStep = 68_ns;  // latency of a short message to the next package (ADR 0017)

struct Packages {
  double n = 1;
  double w = 1;
  double h = 1;
  double column_hops = 1;  // from a row to the next
};

struct Cost {
  double steps = 0;
  double crossings = 0;  // multiples of a rank's bytes that cross a link, one after the other
};

double levels(double n) {
  double count = 0;
  for (double reached = 1; reached < n; reached *= 2) ++count;
  return count;
}

// The cost formulas of docs/reference/collectives.md.
const std::map<std::string_view, Cost (*)(const Packages&)>& costs() {
  static const std::map<std::string_view, Cost (*)(const Packages&)> kCosts{
      {"ring_allreduce", [](const Packages& p) { return Cost{p.n - 1, p.n - 1}; }},
      {"mesh_allreduce",
       [](const Packages& p) {
         const double steps = p.w - 1 + (p.h - 1) * p.column_hops;
         return Cost{steps, steps};
       }},
      {"tree_allreduce", [](const Packages& p) { return Cost{2 * levels(p.n), 2 * levels(p.n)}; }},
      {"chunked_ring_allreduce", [](const Packages& p) { return Cost{2 * (p.n - 1), 2 * (p.n - 1) / p.n}; }},
      {"pipelined_ring_allreduce",
       [](const Packages& p) { return Cost{2 * (p.n - 1), 2 * (p.n - 1) / p.n}; }},
      {"bidirectional_ring_allreduce",
       [](const Packages& p) { return Cost{2 * (p.n - 1), (p.n - 1) / p.n}; }},
      {"torus_allreduce",
       [](const Packages& p) {
         const double steps = 2 * (p.w - 1) + 2 * (p.h - 1) * p.column_hops;
         return Cost{steps, (p.n - 1) / p.n * p.column_hops};
       }},
      {"ring_all_gather", [](const Packages& p) { return Cost{p.n - 1, p.n - 1}; }},
      {"ring_reduce_scatter", [](const Packages& p) { return Cost{p.n - 1, (p.n - 1) / p.n}; }},
      {"ring_broadcast", [](const Packages& p) { return Cost{p.n - 1, 1}; }},
      {"ring_reduce", [](const Packages& p) { return Cost{p.n - 1, 1}; }},
      {"ring_all_to_all", [](const Packages& p) { return Cost{p.n - 1, (p.n - 1) / 2}; }},
      {"hello_send", [](const Packages&) { return Cost{1, 1}; }},
  };
  return kCosts;
}

// Whether a topology joins ranks: a PE's neighbours are the same PE of other packages.
bool joins_ranks(std::string_view topology) {
  constexpr std::array<std::string_view, 7> kOfRanks{"ring_1d", "ring_1d_unidir",  "ring_by_rank", "torus_2d",
                                                     "mesh_2d", "mesh_2d_no_wrap", "tree_binary"};
  return std::ranges::find(kOfRanks, topology) != kOfRanks.end();
}

Packages packages_of(const config::MachineSpec& machine) {
  config::SipsSpec sips = machine.system.sips;
  using enum config::SipTopology;
  const bool in_a_row =
      sips.topology == ring_1d || sips.topology == ring_1d_unidir || sips.topology == tree_binary;
  sips.topology = torus_2d;
  const topology::SipGrid grid{sips};
  return {.n = static_cast<double>(sips.count),
          .w = static_cast<double>(grid.width()),
          .h = static_cast<double>(grid.height()),
          .column_hops = in_a_row ? static_cast<double>(grid.width()) : 1};
}

std::optional<Time> estimate(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine,
                             Bytes bytes) {
  const auto found = costs().find(algorithm.kernel);
  if (found == costs().end()) return std::nullopt;
  const Cost cost = found->second(packages_of(machine));
  const auto crossing = static_cast<std::int64_t>(cost.crossings * static_cast<double>(bytes.count()));
  const auto steps = static_cast<std::int64_t>(cost.steps);
  return kStep * steps + machine.system.sips.link.bandwidth.serialization(Bytes{crossing});
}

}  // namespace

std::vector<Candidate> candidates(const config::CclSpec& declared, const config::MachineSpec& machine,
                                  config::Collective collective, Bytes bytes) {
  std::vector<Candidate> all;
  for (const auto& [name, algorithm] : declared.algorithms) {
    if (algorithm.collective != collective || ranks_are_pes(algorithm) || algorithm.mapper != "leader_only")
      continue;
    if (!joins_ranks(algorithm.topology)) continue;
    all.push_back({.algorithm = algorithm, .estimate = estimate(algorithm, machine, bytes)});
    all.back().algorithm.name = name;
  }
  std::ranges::sort(all, {}, [&](const Candidate& one) {
    const Bytes limit = one.algorithm.chosen_up_to;
    const bool preferred = limit > 0_B && bytes <= limit;
    return std::tuple{!preferred, preferred ? limit : 0_B, !one.estimate, one.estimate.value_or(Time{}),
                      one.algorithm.name};
  });
  return all;
}

}  // namespace kbsim::ccl
