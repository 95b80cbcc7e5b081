#include <algorithm>
#include <map>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "plans.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

/// The rings of a PE in the order of their addresses.
std::vector<topology::PhysAddr> rings_of(const PePlan& pe) {
  std::vector<topology::PhysAddr> rings;
  for (const QueuePlan& queue : pe.queues) rings.push_back(queue.my_ring);
  std::ranges::sort(rings);
  return rings;
}

void check_disjoint(const std::vector<topology::PhysAddr>& rings, Bytes size) {
  for (std::size_t i = 0; i + 1 < rings.size(); ++i) CHECK(rings[i + 1] - rings[i] >= size);
}

}  // namespace

TEST_CASE("build_install_plans: the rings of a PE are disjoint, and lie in its own IPCQ space") {
  config::AlgorithmSpec odd = algorithm();
  odd.n_slots = 3;
  odd.slot_size = 1001_B;
  for (const config::MachineSpec& spec : machines()) {
    for (const PePlan& pe : pes_of(plans_of(odd, spec))) {
      INFO(to_string(pe.pe));
      check_disjoint(rings_of(pe), 3 * 1001_B);
      for (const QueuePlan& queue : pe.queues) {
        const topology::Location at = queue.my_ring.decode();
        CHECK(at.region == topology::Region::ipcq);
        CHECK(at.coord() == pe.pe);
        CHECK(queue.peer_ring.decode().coord() == queue.peer);
      }
    }
  }
}

TEST_CASE("build_install_plans: buffer_kind hbm puts rings into the PE's slice, sram into its cube's SRAM") {
  const config::MachineSpec spec = machine(2, 2, 1);
  config::AlgorithmSpec elsewhere = algorithm("cube_mesh", "all_pes");
  const auto rings_in = [&](config::BufferKind kind) {
    elsewhere.buffer_kind = kind;
    std::map<PeCoord, std::vector<topology::Location>> found;
    for (const PePlan& pe : pes_of(plans_of(elsewhere, spec))) {
      for (const topology::PhysAddr ring : rings_of(pe)) found[pe.pe].push_back(ring.decode());
    }
    return found;
  };
  for (const auto& [pe, rings] : rings_in(config::BufferKind::hbm)) {
    for (const topology::Location& ring : rings) {
      CHECK(ring.region == topology::Region::hbm);
      CHECK((ring.sip == pe.sip && ring.cube == pe.cube));
      CHECK(ring.offset / spec.cube.memory.hbm_per_pe == pe.pe);
    }
  }
  for (const auto& [pe, rings] : rings_in(config::BufferKind::sram)) {
    for (const topology::Location& ring : rings) {
      CHECK(ring.region == topology::Region::sram);
      CHECK((ring.sip == pe.sip && ring.cube == pe.cube));
    }
  }
}

TEST_CASE("build_install_plans: a second algorithm's rings don't overlap those of the first") {
  const config::MachineSpec spec = machine(2, 3, 2);
  topology::MachineAllocators allocators{spec};
  const auto first = pes_of(build_install_plans(algorithm(), spec, allocators));
  const auto second = pes_of(build_install_plans(algorithm(), spec, allocators));
  REQUIRE(first.size() == second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::vector<topology::PhysAddr> rings = rings_of(first[i]);
    std::ranges::copy(rings_of(second[i]), std::back_inserter(rings));
    std::ranges::sort(rings);
    check_disjoint(rings, 4 * 4_KiB);
  }
}

TEST_CASE("build_install_plans: a plan a package, with the algorithm's slots and its PEs in their order") {
  config::AlgorithmSpec settings = algorithm("cube_mesh", "all_pes");
  settings.n_slots = 7;
  settings.slot_size = 512_B;
  settings.ipcq_credit_size = 24_B;
  settings.vc_chunk_size = 1_KiB;
  const std::vector<InstallPlan> plans = plans_of(settings, machine(3, 2, 1));
  REQUIRE(plans.size() == 3);
  for (int sip = 0; sip < 3; ++sip) {
    const InstallPlan& plan = plans[static_cast<std::size_t>(sip)];
    CHECK(plan.sip == sip);
    CHECK(plan.settings.slots == 7);
    CHECK(plan.settings.slot_size == 512_B);
    CHECK(plan.settings.credit_size == 24_B);
    CHECK(plan.settings.vc_chunk == 1_KiB);
    REQUIRE(plan.pes.size() == 16);
    CHECK(plan.pes.front().pe == PeCoord{.sip = sip});
    CHECK(plan.pes.back().pe == PeCoord{.sip = sip, .cube = 1, .pe = 7});
    CHECK(std::ranges::is_sorted(plan.pes, {}, &PePlan::pe));
  }
}

TEST_CASE("build_install_plans: with the topology 'none' all take part and none has a queue") {
  const std::vector<PePlan> pes = pes_of(plans_of(algorithm("none"), machine(2, 2, 1)));
  CHECK(pes.size() == 4);
  for (const PePlan& pe : pes) CHECK(pe.queues.empty());
}

TEST_CASE("build_install_plans: two builds are equal") {
  for (const config::MachineSpec& spec : machines()) {
    const auto first = pes_of(plans_of(algorithm(), spec));
    const auto second = pes_of(plans_of(algorithm(), spec));
    REQUIRE(first.size() == second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      CHECK(first[i].pe == second[i].pe);
      CHECK(std::ranges::equal(first[i].queues, second[i].queues, [](const auto& a, const auto& b) {
        return a.direction == b.direction && a.peer == b.peer && a.my_ring == b.my_ring &&
               a.peer_ring == b.peer_ring;
      }));
    }
  }
}
