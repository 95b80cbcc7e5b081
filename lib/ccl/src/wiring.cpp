#include "kbsim/ccl/wiring.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::ccl {
namespace {

bool has(const Wiring& wiring, PeCoord at, const Neighbour& neighbour) {
  const auto found = wiring.find(at);
  return found != wiring.end() && std::ranges::find(found->second, neighbour) != found->second.end();
}

// The peer's end of a queue, if its label is the opposite one.
Neighbour back_along(PeCoord from, const Neighbour& to) {
  return {.direction = opposite(to.direction), .peer = from, .flow = answer(to.flow)};
}

// The labels of `at` that lead to `peer` with this flow, and whose opposite doesn't lead back.
std::vector<std::string> without_opposite(const Wiring& wiring, PeCoord at, PeCoord peer, Flow flow) {
  std::vector<std::string> labels;
  const auto found = wiring.find(at);
  if (found == wiring.end()) return labels;
  for (const Neighbour& n : found->second) {
    const bool paired = has(wiring, peer, back_along(at, n));
    if (n.peer == peer && n.flow == flow && !paired) labels.push_back(n.direction);
  }
  return labels;
}

// See reverse_direction().
std::optional<std::string> label_back(const Wiring& wiring, PeCoord from, const Neighbour& to) {
  const Neighbour back = back_along(from, to);
  if (has(wiring, to.peer, back)) return back.direction;
  const std::vector<std::string> mine = without_opposite(wiring, from, to.peer, to.flow);
  const std::vector<std::string> theirs = without_opposite(wiring, to.peer, from, back.flow);
  const auto rank = static_cast<std::size_t>(std::ranges::find(mine, to.direction) - mine.begin());
  return rank < std::min(mine.size(), theirs.size()) ? std::optional{theirs[rank]} : std::nullopt;
}

}  // namespace

Registry<Topology>& topologies() {
  static Registry<Topology> registry{"neighbour topology"};
  return registry;
}

bool register_topology(std::string name, Topology topology, const char& /*abi*/) noexcept {
  (void)topologies().offer(std::move(name), std::move(topology));
  return true;
}

Wiring wire_ranks(const std::vector<PeCoord>& participants,
                  const std::function<std::vector<RankNeighbour>(int rank)>& neighbours) {
  Wiring wiring;
  for (const PeCoord& at : participants) wiring[at];
  for (auto& [at, to] : wiring) {
    for (const RankNeighbour& neighbour : neighbours(at.sip)) {
      const PeCoord peer{neighbour.rank, at.cube, at.pe};
      if (wiring.contains(peer))
        to.push_back({.direction = neighbour.direction, .peer = peer, .flow = neighbour.flow});
    }
  }
  return wiring;
}

std::vector<int> ranks_by_number(const config::MachineSpec& machine) {
  std::vector<int> ranks(static_cast<std::size_t>(machine.system.sips.count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::vector<int> ring_of_ranks(const config::MachineSpec& machine) {
  const std::vector<int> walk = topology::SipGrid{machine.system.sips}.closed_walk();
  return walk.empty() ? ranks_by_number(machine) : walk;
}

std::string opposite(const std::string& direction) {
  static const std::map<std::string, std::string> kOpposites{{"E", "W"},
                                                             {"W", "E"},
                                                             {"N", "S"},
                                                             {"S", "N"},
                                                             {"global_E", "global_W"},
                                                             {"global_W", "global_E"},
                                                             {"global_N", "global_S"},
                                                             {"global_S", "global_N"}};
  const auto found = kOpposites.find(direction);
  return found == kOpposites.end() ? "" : found->second;
}

std::string reverse_direction(const Wiring& wiring, PeCoord from, const Neighbour& to) {
  if (const std::optional<std::string> back = label_back(wiring, from, to)) return *back;
  throw UsageError{to_string(from) + (sends(to.flow) ? " sends " : " receives ") + to.direction +
                   (sends(to.flow) ? " to " : " from ") + to_string(to.peer) +
                   ", which has no queue left that points back"};
}

Wiring without_one_way(const Wiring& wiring) {
  Wiring mutual;
  for (const auto& [at, neighbours] : wiring) {
    std::vector<Neighbour>& kept = mutual[at];
    std::ranges::copy_if(neighbours, std::back_inserter(kept), [&, from = at](const Neighbour& to) {
      return label_back(wiring, from, to).has_value();
    });
  }
  return mutual;
}

}  // namespace kbsim::ccl
