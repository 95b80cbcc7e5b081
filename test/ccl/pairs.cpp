// Ranks that reach others directly: the neighbours of each, from the definition.
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/ccl/mapper.hpp"

#include "plans.hpp"

namespace kbsim::ccl::test::pairs_test {
namespace {

// The ranks of a rank's neighbours; the label of each is the number of its rank.
std::set<int> neighbours(const std::string& topology, int ranks, int rank) {
  const config::MachineSpec spec = machine(ranks);
  const Wiring wiring = topologies().at(topology).wire(spec, mappers().at("leader_only").participants(spec));
  std::set<int> all;
  for (const Neighbour& one : wiring.at({.sip = rank})) {
    CHECK(one.direction == fmt::format("rank{}", one.peer.sip));
    CHECK(all.insert(one.peer.sip).second);
  }
  return all;
}

// 1, 2, 4, ... before and after it, as far as such a distance is less than the number of ranks.
std::set<int> at_powers_of_two(int ranks, int rank) {
  std::set<int> all;
  for (int distance = 1; distance < ranks; distance *= 2) {
    all.insert((rank + distance) % ranks);
    all.insert((rank - distance + ranks) % ranks);
  }
  return all;
}

}  // namespace

TEST_CASE("doubling_distances: each rank has those 1, 2, 4, ... before and after it, and no others") {
  CHECK(neighbours("doubling_distances", 8, 0) == std::set{1, 2, 4, 6, 7});
  CHECK(neighbours("doubling_distances", 3, 1) == std::set{0, 2});
  for (int ranks = 1; ranks <= 17; ++ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      CAPTURE(ranks);
      CAPTURE(rank);
      CHECK(neighbours("doubling_distances", ranks, rank) == at_powers_of_two(ranks, rank));
    }
  }
}

TEST_CASE("all_pairs, full: each rank has each other one") {
  for (const char* topology : {"all_pairs", "full"}) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      std::set<int> others;
      for (int rank = 1; rank < ranks; ++rank) others.insert(rank);
      CHECK(neighbours(topology, ranks, 0) == others);
    }
  }
}

}  // namespace kbsim::ccl::test::pairs_test
