// The labels of hierarchical_3level, and edges without an edge back.
#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/ranks.hpp"

#include "plans.hpp"

namespace kbsim::ccl::hierarchical_test {
namespace {

using Neighbours = std::vector<Neighbour>;

Wiring hierarchical(int sips) {
  return wiring_of(algorithm("hierarchical_3level", "all_pes"), machine(sips, 2, 2));
}

}  // namespace

TEST_CASE("checklist 15: N is the next cube, S the one before, parent the other package") {
  const Wiring wiring = hierarchical(2);
  CHECK(wiring.at({0, 1, 0}) ==
        Neighbours{{"E", {0, 1, 1}}, {"W", {0, 1, 7}}, {"N", {0, 2, 0}}, {"S", {0, 0, 0}}});
  CHECK(wiring.at({0, 0, 0}) == Neighbours{{"E", {0, 0, 1}},
                                           {"W", {0, 0, 7}},
                                           {"N", {0, 1, 0}},
                                           {"S", {0, 3, 0}},
                                           {"global_E", {1, 0, 0}},
                                           {"global_W", {1, 0, 0}},
                                           {"parent", {1, 0, 0}}});
  CHECK(reverse_direction(wiring, {0, 0, 0}, {"parent", {1, 0, 0}}) == "parent");
  CHECK(wiring.at({0, 1, 3}) == Neighbours{{"E", {0, 1, 4}}, {"W", {0, 1, 2}}});
}

TEST_CASE("checklist 15: an edge without a label back is skipped, as parent is among three packages") {
  const Wiring wiring = hierarchical(3);
  for (int sip = 0; sip < 3; ++sip) {
    const Neighbours& of_leader = wiring.at({sip, 0, 0});
    CHECK(of_leader.size() == 6);
    CHECK(of_leader.back().direction == "global_W");
  }
  const PeCoord a{.sip = 0};
  const PeCoord b{.sip = 1};
  const Wiring one_way{{a, {{"up", b}, {"E", b}}}, {b, {{"W", a}}}};
  CHECK(without_one_way(one_way) == Wiring{{a, {{"E", b}}}, {b, {{"W", a}}}});
  CHECK_THROWS_AS((void)reverse_direction(one_way, a, {"up", b}), UsageError);
}

TEST_CASE("checklist 18: 64 MiB of rings in a TCM of 16 MiB are refused, and in HBM they aren't") {
  config::AlgorithmSpec rings = algorithm("ring_1d", "leader_only");
  rings.n_slots = 4;
  rings.slot_size = 8_MiB;  // two rings of 32 MiB
  CHECK(machine(2).cube.memory.tcm == 16_MiB);
  CHECK_THROWS_AS((void)plans_of(rings, machine(2)), UsageError);
  rings.slot_size = 2_MiB;  // the first one fits, the second doesn't
  CHECK_THROWS_WITH_AS((void)plans_of(rings, machine(2)),
                       doctest::Contains("the rings of sip0.cube0.pe0 don't fit its TCM"), UsageError);
  rings.slot_size = 8_MiB;
  rings.buffer_kind = config::BufferKind::hbm;
  CHECK_NOTHROW((void)plans_of(rings, machine(2)));
}

}  // namespace kbsim::ccl::hierarchical_test
