#include "kbsim/ccl/wiring.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/indices.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/base/open_walk.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::ccl {
namespace {

std::string_view opposite_of(std::string_view direction) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 4> kOpposites{
      {{"E", "W"}, {"N", "S"}, {"global_E", "global_W"}, {"global_N", "global_S"}}};
  for (const auto& [one, other] : kOpposites) {
    if (direction == one) return other;
    if (direction == other) return one;
  }
  return "";
}

std::span<const Neighbour> neighbours_of(const Wiring& wiring, PeCoord at) {
  const auto found = wiring.find(at);
  return found != wiring.end() ? std::span{found->second} : std::span<const Neighbour>{};
}

// The peer's end of a queue, searched among the peer's neighbours; null unless its label is the opposite one.
const Neighbour* opposite_end(std::span<const Neighbour> theirs, PeCoord from, const Neighbour& to) {
  const std::string_view direction = opposite_of(to.direction);
  const auto found = std::ranges::find_if(theirs, [&](const Neighbour& n) {
    return n.peer == from && n.flow == answer(to.flow) && n.direction == direction;
  });
  return found != theirs.end() ? &*found : nullptr;
}

// The neighbours of `at` that lead to `peer` with this flow, and whose opposite doesn't lead back.
std::vector<const Neighbour*> without_opposite(std::span<const Neighbour> ours, PeCoord at,
                                               std::span<const Neighbour> theirs, PeCoord peer, Flow flow) {
  std::vector<const Neighbour*> left;
  for (const Neighbour& n : ours) {
    if (n.peer == peer && n.flow == flow && opposite_end(theirs, at, n) == nullptr) left.push_back(&n);
  }
  return left;
}

// The peer's end of the queue, or null; see reverse_direction().
const Neighbour* end_of(const Wiring& wiring, PeCoord from, const Neighbour& to) {
  const std::span<const Neighbour> theirs = neighbours_of(wiring, to.peer);
  if (const Neighbour* const back = opposite_end(theirs, from, to)) return back;
  const std::span<const Neighbour> mine = neighbours_of(wiring, from);
  const auto ours = without_opposite(mine, from, theirs, to.peer, to.flow);
  const auto ends = without_opposite(theirs, to.peer, mine, from, answer(to.flow));
  const auto is_it = [&](const Neighbour* n) { return n->direction == to.direction; };
  const auto rank = static_cast<std::size_t>(std::ranges::find_if(ours, is_it) - ours.begin());
  return rank < std::min(ours.size(), ends.size()) ? ends[rank] : nullptr;
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
  return ranges::views::indices(machine.system.sips.count) | ranges::to<std::vector>;
}

std::vector<int> ring_of_ranks(const config::MachineSpec& machine) {
  const std::vector<int> walk = topology::SipGrid{machine.system.sips}.closed_walk();
  return walk.empty() ? ranks_by_number(machine) : walk;
}

std::vector<int> line_of_ranks(const config::MachineSpec& machine) {
  if (!config::is_grid(machine.system.sips.topology)) return ranks_by_number(machine);
  const topology::SipGrid grid{machine.system.sips};
  return open_walk(grid.width(), grid.height());
}

std::string opposite(const std::string& direction) { return std::string{opposite_of(direction)}; }

std::string reverse_direction(const Wiring& wiring, PeCoord from, const Neighbour& to) {
  if (const Neighbour* const end = end_of(wiring, from, to)) return end->direction;
  throw UsageError{to_string(from) + (sends(to.flow) ? " sends " : " receives ") + to.direction +
                   (sends(to.flow) ? " to " : " from ") + to_string(to.peer) +
                   ", which has no queue left that points back"};
}

Wiring without_one_way(Wiring wiring) {
  const auto is_mutual = [&wiring](PeCoord at, const Neighbour& to) {
    return end_of(wiring, at, to) != nullptr;
  };
  const bool all = std::ranges::all_of(wiring, [&](const auto& of_pe) {
    return std::ranges::all_of(of_pe.second, [&](const Neighbour& to) { return is_mutual(of_pe.first, to); });
  });
  if (all) return wiring;
  Wiring mutual;
  for (const auto& [at, neighbours] : wiring) {
    std::ranges::copy_if(neighbours, std::back_inserter(mutual[at]),
                         [&, from = at](const Neighbour& to) { return is_mutual(from, to); });
  }
  return mutual;
}

}  // namespace kbsim::ccl
