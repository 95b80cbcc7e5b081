#include <map>
#include <utility>

#include <doctest/doctest.h>

#include "plans.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

using Ends = std::map<std::pair<PeCoord, topology::PhysAddr>, QueuePlan>;  // by whose ring

/// Every queue by the ring in which it receives.
Ends receivers(const std::vector<PePlan>& pes) {
  Ends ends;
  for (const PePlan& pe : pes) {
    for (const QueuePlan& queue : pe.queues) ends.emplace(std::pair{pe.pe, queue.my_ring}, queue);
  }
  return ends;
}

std::size_t queues(const std::vector<PePlan>& pes) {
  std::size_t n = 0;
  for (const PePlan& pe : pes) n += pe.queues.size();
  return n;
}

/// Checks that each queue sends into a ring of its peer, whose queue sends into this queue's ring.
void check_paired(const std::vector<PePlan>& pes) {
  const Ends ends = receivers(pes);
  CHECK(ends.size() == queues(pes));
  for (const PePlan& pe : pes) {
    for (const QueuePlan& queue : pe.queues) {
      INFO(to_string(pe.pe), " ", queue.direction);
      const auto partner = ends.find({queue.peer, queue.peer_ring});
      REQUIRE(partner != ends.end());
      CHECK(partner->second.peer == pe.pe);
      CHECK(partner->second.peer_ring == queue.my_ring);
      CHECK(partner->second.direction == opposite(queue.direction));
    }
  }
}

}  // namespace

TEST_CASE("build_install_plans: what a queue sends arrives where its partner receives, on any machine") {
  for (const config::MachineSpec& spec : machines()) {
    CAPTURE(spec.system.sips.count);
    CAPTURE(spec.system.sips.topology);
    CAPTURE(spec.sip.cube_mesh.w);
    for (const char* mapper : {"leader_only", "cube_leaders", "all_pes"}) {
      check_paired(pes_of(plans_of(algorithm("cube_mesh", mapper), spec)));
    }
  }
}

TEST_CASE("build_install_plans: a mesh of w by h cubes has 2(2wh-w-h) queues, and a ring two a cube") {
  const auto count = [](int sips, int w, int h) {
    return queues(pes_of(plans_of(algorithm(), machine(sips, w, h))));
  };
  CHECK(count(1, 1, 1) == 0);
  CHECK(count(1, 3, 2) == 14);
  CHECK(count(1, 4, 4) == 48);
  CHECK(count(1, 5, 3) == 44);
  CHECK(count(2, 5, 3) == 2 * (44 + 2 * 15));
  CHECK(count(8, 4, 4) == 8 * (48 + 2 * 16));
}

TEST_CASE("build_install_plans: in a ring of two, global_E and global_W lead to one peer's two rings") {
  const std::vector<PePlan> pes = pes_of(plans_of(algorithm(), machine(2)));
  REQUIRE(pes.size() == 2);
  REQUIRE(pes[0].queues.size() == 2);
  const QueuePlan& east = pes[0].queues[0];
  const QueuePlan& west = pes[0].queues[1];
  CHECK(east.direction == "global_E");
  CHECK(west.direction == "global_W");
  CHECK(east.peer == PeCoord{.sip = 1});
  CHECK(west.peer == PeCoord{.sip = 1});
  CHECK(east.peer_ring == pes[1].queues[1].my_ring);
  CHECK(west.peer_ring == pes[1].queues[0].my_ring);
  CHECK(east.peer_ring != west.peer_ring);
}
