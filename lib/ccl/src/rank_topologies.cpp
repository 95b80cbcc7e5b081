// Neighbours among ranks: each participant's are the same PE of the same cube on other packages.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>

#include "kbsim/ccl/wiring.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::ccl {
namespace {

struct RankNeighbour {
  const char* direction;
  int rank;
};
using RankNeighbours = std::vector<RankNeighbour>;

// Asks `neighbours` for those of each participant's rank, and leaves out who doesn't take part.
template <class Neighbours>
Wiring wire_ranks(const std::vector<PeCoord>& participants, const Neighbours& neighbours) {
  Wiring wiring;
  for (const PeCoord& at : participants) wiring[at];
  for (auto& [at, to] : wiring) {
    for (const RankNeighbour& neighbour : neighbours(at.sip)) {
      const PeCoord peer{neighbour.rank, at.cube, at.pe};
      if (wiring.contains(peer)) to.push_back({.direction = neighbour.direction, .peer = peer});
    }
  }
  return wiring;
}

// `ring` has the ranks in their order.
Wiring close(const std::vector<int>& ring, const std::vector<PeCoord>& participants) {
  const std::size_t n = ring.size();
  return wire_ranks(participants, [&](int rank) {
    if (n == 1) return RankNeighbours{};
    const auto at = static_cast<std::size_t>(std::ranges::find(ring, rank) - ring.begin());
    return RankNeighbours{{"E", ring[(at + 1) % n]}, {"W", ring[(at + n - 1) % n]}};
  });
}

std::vector<int> by_number(int n) {
  std::vector<int> ranks(static_cast<std::size_t>(n));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

Wiring ring_1d(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return close(ring_of_ranks(machine), participants);
}
Wiring ring_by_rank(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return close(by_number(machine.system.sips.count), participants);
}

// The packages as a grid, whatever joins them: the one of system.sips, or the squarest.
Wiring grid(const config::MachineSpec& machine, const std::vector<PeCoord>& participants, bool wraps) {
  constexpr std::array<const char*, 4> kLabels{"E", "W", "N", "S"};
  config::SipsSpec sips = machine.system.sips;
  sips.topology = wraps ? "torus_2d" : "mesh_2d_no_wrap";
  const topology::SipGrid joined{sips};
  return wire_ranks(participants, [&](int rank) {
    RankNeighbours neighbours;
    for (const topology::Side side : topology::kSides) {
      if (const std::optional<int> sip = joined.neighbour(rank, side)) {
        neighbours.push_back({kLabels[index(side)], *sip});
      }
    }
    return neighbours;
  });
}

Wiring torus_2d(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return grid(machine, participants, true);
}
Wiring mesh_2d_no_wrap(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return grid(machine, participants, false);
}

Wiring tree_binary(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  const int n = machine.system.sips.count;
  return wire_ranks(participants, [n](int rank) {
    RankNeighbours neighbours;
    if (rank > 0) neighbours.push_back({"parent", (rank - 1) / 2});
    if (2 * rank + 1 < n) neighbours.push_back({"child_left", 2 * rank + 1});
    if (2 * rank + 2 < n) neighbours.push_back({"child_right", 2 * rank + 2});
    return neighbours;
  });
}

const bool kRegistered = [] {
  const auto add = [](const char* name, const char* doc, auto wire) {
    topologies().add(name, {.doc = doc, .wire = wire});
  };
  add("ring_1d", "each rank with the next one, E, and the one before, W, along the wires", ring_1d);
  add("ring_1d_unidir", "the queues of ring_1d, for algorithms that send E only", ring_1d);
  add("ring_by_rank", "each rank with that of the next number, E, and of the one before, W", ring_by_rank);
  add("torus_2d", "the ranks as a grid that wraps: E, W, N, S", torus_2d);
  add("mesh_2d", "torus_2d by its older name", torus_2d);
  add("mesh_2d_no_wrap", "the ranks as a grid that doesn't wrap: E, W, N, S", mesh_2d_no_wrap);
  add("tree_binary", "rank r with its parent (r - 1) / 2, child_left 2 r + 1 and child_right 2 r + 2",
      tree_binary);
  return true;
}();

}  // namespace

std::vector<int> ring_of_ranks(const config::MachineSpec& machine) {
  const std::vector<int> walk = topology::SipGrid{machine.system.sips}.closed_walk();
  return walk.empty() ? by_number(machine.system.sips.count) : walk;
}

}  // namespace kbsim::ccl
