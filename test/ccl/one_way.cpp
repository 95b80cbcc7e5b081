// Queues of one direction: one end sends, the other receives, and there is one ring.
#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/ranks.hpp"

#include "plans.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

Wiring one_way_ring(int sips) {
  const config::MachineSpec spec = machine(sips);
  return topologies().at("ring_1d_unidir").wire(spec, mappers().at("leader_only").participants(spec));
}

// A triangle in which each PE names only the next one, and a pair whose PEs name each other.
Wiring lopsided(const config::MachineSpec&, const std::vector<PeCoord>& pes) {
  return {{pes[0], {{"E", pes[1]}}}, {pes[1], {{"W", pes[0]}, {"on", pes[2]}}}, {pes[2], {{"on", pes[0]}}}};
}

config::AlgorithmSpec of_lopsided(config::Unpaired unpaired) {
  if (!topologies().has("test_lopsided"))
    topologies().add("test_lopsided", {.doc = "for a test", .wire = lopsided});
  config::AlgorithmSpec spec = algorithm("test_lopsided", "leader_only");
  spec.unpaired = unpaired;
  return spec;
}

}  // namespace

TEST_CASE("checklist 15: ring_1d_unidir sends E and receives W, and nothing else") {
  using Neighbours = std::vector<Neighbour>;
  for (const int n : {2, 3, 8}) {
    CAPTURE(n);
    const Wiring wiring = one_way_ring(n);
    for (const auto& [at, to] : wiring) {
      const PeCoord next{.sip = (at.sip + 1) % n};
      const PeCoord before{.sip = (at.sip + n - 1) % n};
      CHECK(to == Neighbours{{"E", next, Flow::sends}, {"W", before, Flow::receives}});
      CHECK(reverse_direction(wiring, at, to[0]) == "W");
      CHECK(reverse_direction(wiring, at, to[1]) == "E");
    }
  }
  CHECK(one_way_ring(1) == Wiring{{PeCoord{}, {}}});
}

TEST_CASE("checklist 15: an end that sends is answered by one that receives, not by another that sends") {
  const PeCoord a{.sip = 0};
  const PeCoord b{.sip = 1};
  const Wiring both_send{{a, {{"E", b, Flow::sends}}}, {b, {{"W", a, Flow::sends}}}};
  CHECK_THROWS_AS((void)reverse_direction(both_send, a, {"E", b, Flow::sends}), UsageError);
  CHECK_THROWS_WITH_AS(
      (void)reverse_direction(both_send, a, {"N", b, Flow::receives}),
      "sip0.cube0.pe0 receives N from sip1.cube0.pe0, which has no queue left that points back", UsageError);
  const Wiring mixed{{a, {{"x", b}, {"y", b, Flow::sends}}}, {b, {{"u", a, Flow::receives}, {"v", a}}}};
  CHECK(reverse_direction(mixed, a, {"x", b}) == "v");
  CHECK(reverse_direction(mixed, a, {"y", b, Flow::sends}) == "u");
}

TEST_CASE("checklist 15: a queue of one direction has one ring, the receiver's, which both ends name") {
  const config::MachineSpec spec = machine(3);
  const std::vector<PePlan> pes = pes_of(plans_of(algorithm("ring_1d_unidir", "leader_only"), spec));
  REQUIRE(pes.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const QueuePlan& east = pes[i].queues[0];
    const QueuePlan& west = pes[(i + 1) % 3].queues[1];
    CHECK(east.flow == Flow::sends);
    CHECK(west.flow == Flow::receives);
    CHECK(east.my_ring == west.my_ring);
    CHECK(east.peer_ring == west.peer_ring);
    CHECK(east.my_ring == east.peer_ring);
    CHECK(west.my_ring.decode().coord() == pes[(i + 1) % 3].pe);
    CHECK(west.tcm.has_value());
    CHECK_FALSE(east.tcm.has_value());
  }
}

TEST_CASE("checklist 15: so it takes half of the memory of ring_1d, and gives all of it back") {
  const config::MachineSpec spec = machine(4);
  for (const config::BufferKind kind : {config::BufferKind::tcm, config::BufferKind::hbm}) {
    config::AlgorithmSpec one = algorithm("ring_1d_unidir", "leader_only");
    one.buffer_kind = kind;
    topology::MachineAllocators allocators{spec};
    const auto& memory = kind == config::BufferKind::tcm ? allocators.pe({}).tcm : allocators.pe({}).hbm;
    const Bytes before = memory.free_bytes();
    const std::vector<InstallPlan> plans = build_install_plans(one, spec, allocators);
    CHECK(before - memory.free_bytes() == 4 * 4_KiB);
    release_rings(plans, allocators);
    CHECK(memory.free_bytes() == before);
  }
  CHECK(rings_in_tcm(algorithm("ring_1d_unidir", "leader_only"), spec) == 4 * 4_KiB);
  CHECK(rings_in_tcm(algorithm("ring_1d", "leader_only"), spec) == 8 * 4_KiB);
}

TEST_CASE("checklist 15: PEs as ranks, and packages of a group, keep the direction") {
  config::AlgorithmSpec of_pes = algorithm("ring_1d_unidir", "leader_only");
  of_pes.world_size = 8;
  const Wiring ranks = wiring_of(of_pes, machine(1));
  CHECK(ranks.at({.pe = 7}) ==
        std::vector<Neighbour>{{"E", {.pe = 0}, Flow::sends}, {"W", {.pe = 6}, Flow::receives}});
  const config::MachineSpec two = machine(2);
  topology::MachineAllocators allocators{machine(4)};
  const auto plans = build_install_plans(algorithm("ring_1d_unidir", "leader_only"), two, allocators,
                                         {.sips = {3, 1}, .pes = {{.cube = 0, .pe = 2}}});
  CHECK(plans[0].pes[0].pe == PeCoord{.sip = 3, .pe = 2});
  CHECK(plans[0].pes[0].queues[0].peer == PeCoord{.sip = 1, .pe = 2});
  CHECK(plans[0].pes[0].queues[0].flow == Flow::sends);
}

TEST_CASE("checklist 15: a neighbour without a label back is refused, or with unpaired: skip no queue") {
  const config::MachineSpec spec = machine(3);
  CHECK_THROWS_WITH_AS((void)plans_of(of_lopsided(config::Unpaired::refuse), spec),
                       "sip1.cube0.pe0 sends on to sip2.cube0.pe0, which has no queue left that points back",
                       UsageError);
  const std::vector<PePlan> pes = pes_of(plans_of(of_lopsided(config::Unpaired::skip), spec));
  REQUIRE(pes.size() == 3);
  REQUIRE(pes[0].queues.size() == 1);
  REQUIRE(pes[1].queues.size() == 1);
  CHECK(pes[2].queues.empty());
  CHECK(pes[0].queues[0].direction == "E");
  CHECK(pes[1].queues[0].direction == "W");
  CHECK(pes[0].queues[0].peer_ring == pes[1].queues[0].my_ring);
}
