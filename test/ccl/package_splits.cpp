// The neighbours of each PE in package_splits, from the definition.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "kbsim/ccl/mapper.hpp"

#include "plans.hpp"

namespace kbsim::ccl::test::package_splits_test {
namespace {

Wiring wired(const char* topology, const config::MachineSpec& spec) {
  return topologies().at(topology).wire(spec, mappers().at("all_pes").participants(spec));
}

}  // namespace

TEST_CASE(
    "package_splits: each PE has one queue to each PE a power of two away, and those of package_exchange") {
  for (const auto& [w, h] : {std::pair{1, 1}, {3, 1}, {3, 2}, {4, 4}}) {
    const config::MachineSpec spec = machine(1, w, h);
    const Wiring wiring = wired("package_splits", spec);
    const Wiring exchange = wired("package_exchange", spec);
    const int pes = spec.pes_per_cube();
    for (const auto& [at, neighbours] : wiring) {
      std::set<PeCoord> peers;
      for (const Neighbour& to : neighbours) CHECK(peers.insert(to.peer).second);
      for (const Neighbour& to : exchange.at(at))
        CHECK(std::ranges::find(neighbours, to) != neighbours.end());
      const int own = at.cube * pes + at.pe;
      for (int bit = 1; bit < w * h * pes; bit *= 2) {
        for (const int other : {own - bit, own + bit}) {
          const bool there = other >= 0 && other < w * h * pes;
          CHECK(peers.contains({at.sip, other / pes, other % pes}) == there);
        }
      }
    }
  }
}

TEST_CASE("package_splits: both ends of a queue lead to one another") {
  const Wiring wiring = wired("package_splits", machine(1, 3, 2));
  for (const auto& [at, neighbours] : wiring) {
    for (const Neighbour& to : neighbours) {
      const std::string back = reverse_direction(wiring, at, to);
      const auto end = std::ranges::find(wiring.at(to.peer), back, &Neighbour::direction);
      CHECK(end->peer == at);
    }
  }
}

}  // namespace kbsim::ccl::test::package_splits_test
