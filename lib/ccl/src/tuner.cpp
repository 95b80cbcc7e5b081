#include "kbsim/ccl/tuner.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kbsim/ccl/ranks.hpp"
#include "kbsim/topology/sip_grid.hpp"
#include "kbsim/topology/sip_network.hpp"

#include "phases.hpp"

namespace kbsim::ccl {
namespace {

constexpr Time kStep = 68_ns;  // latency of a short message to the next package (ADR 0017)
constexpr Time kHop = 20_ns;   // and to each package after that
constexpr Time kPeer =
    12_ns;  // a PE's commands for a message to a further rank: send, receive, store (ADR 0118)

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
  constexpr std::array<std::string_view, 11> kOfRanks{
      "ring_1d",     "ring_1d_unidir",   "ring_by_rank", "torus_2d", "mesh_2d",           "mesh_2d_no_wrap",
      "tree_binary", "line_of_packages", "all_pairs",    "full",     "doubling_distances"};
  return std::ranges::find(kOfRanks, topology) != kOfRanks.end();
}

// Wires from a row of the packages' grid to the next: round the whole row, or by the listed ones.
int column_hops(const config::SipsSpec& sips, int width) {
  using enum config::SipTopology;
  if (sips.topology == ring_1d || sips.topology == ring_1d_unidir || sips.topology == tree_binary)
    return width;
  if (!sips.is_listed()) return 1;
  const topology::SipNetwork network{sips};
  int most = 1;
  for (int sip = 0; sip < sips.count; ++sip)
    most = std::max(most, network.wires(sip, (sip + width) % sips.count));
  return most;
}

Packages packages_of(const config::MachineSpec& machine) {
  config::SipsSpec sips = machine.system.sips;
  sips.topology = config::SipTopology::torus_2d;
  const topology::SipGrid grid{sips};
  return {.n = static_cast<double>(sips.count),
          .w = static_cast<double>(grid.width()),
          .h = static_cast<double>(grid.height()),
          .column_hops = static_cast<double>(column_hops(machine.system.sips, grid.width()))};
}

// The time of a packet on a link between packages.
Time time_on(const config::ChipLinkSpec& link, Bytes packet) {
  return std::max(link.service(packet), link.send_time());
}

// The longest latency of a link between packages.
Time longest_latency(const config::SipsSpec& sips) {
  if (!sips.is_listed()) return sips.link.latency;
  Time longest{};
  for (const config::ListedLinkSpec& link : sips.links) longest = std::max(longest, link.latency);
  return longest;
}

// The link that takes longest for a packet, as formulas count with one link alone.
config::ChipLinkSpec slowest_link(const config::MachineSpec& machine) {
  const config::SipsSpec& sips = machine.system.sips;
  if (!sips.is_listed() || sips.links.empty()) return sips.link;
  const Bytes packet = std::max(machine.system.packet_bytes, 1_B);
  return *std::ranges::max_element(sips.links, {},
                                   [packet](const auto& link) { return time_on(link, packet); });
}

// The time of the bytes that units of a rank's bytes are.
Time of_units(double units, Bytes bytes, Bandwidth bandwidth) {
  return bandwidth.serialization(
      Bytes{static_cast<std::int64_t>(units * static_cast<double>(bytes.count()))});
}

// The same on the links between packages, whose packets may be in frames or take a least time.
Time on_links(double units, Bytes bytes, const config::ChipLinkSpec& link, Bytes packet) {
  if (!link.is_framed() || packet == 0_B) return of_units(units, bytes, link.rate());
  const double packets = units * static_cast<double>(bytes.count()) / static_cast<double>(packet.count());
  return Time{static_cast<std::int64_t>(packets * static_cast<double>(time_on(link, packet).count()))};
}

// A phase's bytes leave and enter a package by the link of the PE that sends and receives them.
Time time_of(const Phase& phase, const config::MachineSpec& machine, Bytes bytes) {
  if (phase.load.hops == 0) return Time{};
  const config::SipsSpec& sips = machine.system.sips;
  const Time latency = longest_latency(sips);
  const Time step = kStep + latency + (kHop + latency) * (phase.load.hops - 1) + kPeer * (phase.peers - 1);
  return step * phase.steps +
         std::max(on_links(phase.load.on_a_link, bytes, sips.link, machine.system.packet_bytes),
                  of_units(phase.load.at_a_package, bytes, machine.pe.link));
}

std::optional<Time> estimate(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine,
                             Bytes bytes) {
  if (const auto found = costs().find(algorithm.kernel); found != costs().end()) {
    const Cost cost = found->second(packages_of(machine));
    return (kStep + longest_latency(machine.system.sips)) * static_cast<std::int64_t>(cost.steps) +
           on_links(cost.crossings, bytes, slowest_link(machine), machine.system.packet_bytes);
  }
  const std::optional<std::vector<Phase>> phases = phases_of(algorithm.kernel, machine);
  if (!phases) return std::nullopt;
  Time time{};
  for (const Phase& phase : *phases) time += time_of(phase, machine, bytes);
  return time;
}

// Whether packages are joined as a limit says: by the topology's name, its other name, or as a line.
bool is_joined(const config::MachineSpec& machine, std::string_view as) {
  using enum config::SipTopology;
  const auto same = [](config::SipTopology topology) {
    return topology == mesh_2d ? torus_2d : topology == full ? all_pairs : topology;
  };
  const config::SipsSpec& sips = machine.system.sips;
  if (as.empty()) return true;
  if (as == config::ChosenSpec::kLine) {
    const topology::SipGrid grid{sips};
    return sips.topology == mesh_2d_no_wrap && (grid.width() == 1 || grid.height() == 1);
  }
  const auto named = std::ranges::find(config::kSipTopologies, as) - config::kSipTopologies.begin();
  return named < std::ssize(config::kSipTopologies) &&
         same(static_cast<config::SipTopology>(named)) == same(sips.topology);
}

// The smallest limit up to which a call takes the algorithm on this machine, whatever the estimates.
std::optional<Bytes> limit_of(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine,
                              Bytes bytes) {
  std::optional<Bytes> least;
  const auto consider = [&](Bytes limit) {
    if (bytes <= limit) least = std::min(least.value_or(limit), limit);
  };
  if (algorithm.chosen_up_to > 0_B) consider(algorithm.chosen_up_to);
  for (const config::ChosenSpec& chosen : algorithm.chosen) {
    const std::optional<config::RankRange> ranks = config::rank_range(chosen.ranks);
    const bool holds =
        ranks && ranks->contains(machine.system.sips.count) && is_joined(machine, chosen.links);
    if (holds) consider(chosen.up_to);
  }
  return least;
}

}  // namespace

std::vector<Candidate> candidates(const config::CclSpec& declared, const config::MachineSpec& machine,
                                  config::Collective collective, Bytes bytes) {
  std::vector<Candidate> all;
  std::map<std::string, std::optional<Bytes>> limits;
  for (const auto& [name, algorithm] : declared.algorithms) {
    if (algorithm.collective != collective || ranks_are_pes(algorithm) || algorithm.mapper != "leader_only")
      continue;
    if (!joins_ranks(algorithm.topology)) continue;
    const std::optional<Bytes> limit = limit_of(algorithm, machine, bytes);
    if (algorithm.picked == config::Picked::by_limit && !limit) continue;
    limits[name] = limit;
    all.push_back({.algorithm = algorithm, .estimate = estimate(algorithm, machine, bytes)});
    all.back().algorithm.name = name;
  }
  std::ranges::sort(all, {}, [&](const Candidate& one) {
    const std::optional<Bytes> limit = limits.at(one.algorithm.name);
    return std::tuple{!limit, limit.value_or(0_B), !one.estimate, one.estimate.value_or(Time{}),
                      one.algorithm.name};
  });
  return all;
}

}  // namespace kbsim::ccl
