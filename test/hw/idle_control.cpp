#include <doctest/doctest.h>

#include "harness.hpp"
#include "idle.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::idle_control_test {
namespace {

struct NoArgs {};

Task<> sleep_a_cycle(TL& tl, NoArgs) {
  (void)tl.zeros({1});
  co_return;
}

Task<> one_order(Rig* rig, std::vector<hw::ControlTarget> targets, hw::Activity* activity) {
  *activity = co_await rig->order(std::move(targets));
}

hw::ControlTarget launch_of(PeCoord pe, Bytes size) {
  const auto kernel =
      std::make_shared<const KernelCall>(bind_kernel("sleep_a_cycle", sleep_a_cycle, NoArgs{}));
  return {.pe = pe, .action = hw::Launch{kernel}, .size = size};
}

hw::ControlTarget any_order(Random& random, PeCoord pe, Bytes size) {
  switch (random.below(3)) {
    case 0: return launch_of(pe, size);
    case 1: return {.pe = pe, .action = hw::MapPages{}, .size = size};
    default: return {.pe = pe, .action = hw::QueueSet{}, .size = size};
  }
}

NodeId unit_of(const Rig& rig, const hw::ControlTarget& target) {
  if (std::holds_alternative<hw::Launch>(target.action)) return rig.pe(target.pe).cpu;
  return std::holds_alternative<hw::MapPages>(target.action) ? rig.pe(target.pe).mmu : rig.pe(target.pe).ipcq;
}

// Down the three legs with the order's bytes, and up again with one report per leg.
Expected round_trip(const Rig& rig, const hw::ControlTarget& target) {
  const topology::Graph& graph = rig.graph;
  const std::vector<NodeId> legs{graph.host(), graph.sips()[static_cast<std::size_t>(target.pe.sip)].io_cpu,
                                 graph.cube(target.pe.sip, target.pe.cube).m_cpu, unit_of(rig, target)};
  Expected all;
  for (std::size_t i = 0; i + 1 < legs.size(); ++i) {
    all = all + crossing(way(graph, legs[i], legs[i + 1]), control(graph, target.size));
    all = all + crossing(way(graph, legs[i + 1], legs[i]), control(graph));
  }
  return all;
}

}  // namespace

TEST_CASE("Idle control plane: an order to one PE takes three legs down, its work, and three legs up") {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    Random random{seed};
    Rig rig{random_machine(random)};
    const hw::ControlTarget target =
        any_order(random, random_pe(random, *rig.spec), Bytes{random.between(0, 500)});
    CAPTURE(seed);
    hw::Activity activity;
    rig.run(one_order(&rig, {target}, &activity));
    const Time work = activity.last_end - activity.first_start;
    const bool launches = std::holds_alternative<hw::Launch>(target.action);
    CHECK(work == (launches ? 4_ns + 4_ns + 1_ns : 0_ns));  // dispatch, start-up, one cycle
    const Expected expected = round_trip(rig, target) + work;
    CHECK_MESSAGE(meets(rig.sim.now(), expected), to_string(rig.sim.now()), " expected ", text(expected));
  }
}

TEST_CASE(
    "Idle control plane: parts for the PEs of a cube leave back to back, the last to report completes") {
  config::MachineSpec spec = small_machine();
  spec.system.control_bytes = 64_B;
  spec.system.sips.count = 1;
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.cube.noc = {.w = 1, .h = 1};  // all PEs at one router: the same way to each
  spec.cube.pe_layout = {.corners = {config::Corner::NW}, .pe_per_corner = 5};
  Rig rig{spec};
  std::vector<hw::ControlTarget> targets;
  for (int pe = 0; pe < 5; ++pe) targets.push_back(launch_of({0, 0, pe}, {}));
  hw::Activity activity;
  rig.run(one_order(&rig, targets, &activity));
  const Time part = Bandwidth::gbs(256.0).serialization(64_B);
  CHECK(activity.last_start - activity.first_start == 4 * part);
  CHECK(rig.sim.now() == (round_trip(rig, targets.front()) + 9_ns + 4 * part).time);
}

}  // namespace kbsim::hw::test::idle_control_test
