// The physics audit fails by name when a law is broken.
#include <doctest/doctest.h>

#include "sink.hpp"

namespace kbsim::hw::test::audit_faults_test {
namespace {

struct LyingSpec {
  static void describe(FieldList<LyingSpec>&) {}
};

/// A slice whose delay grows with each look at it, and which claims a year of work.
class Liar : public hw::Component {
 public:
  Liar(hw::Fabric& fabric, NodeId id, LyingSpec) : Component{fabric, id} {}
  [[nodiscard]] std::vector<hw::UnitUse> use() const override { return {{.served = 1, .busy = year}}; }
  Time year{};
};
const bool kRegistered = hw::register_component<Liar, LyingSpec>("test.liar", topology::NodeKind::sram,
                                                                 "a unit that lies", KBSIM_ABI);

/// A router whose delay changes while messages are under way.
class Moody : public hw::Component {
 public:
  Moody(hw::Fabric& fabric, NodeId id, LyingSpec) : Component{fabric, id} {}
  [[nodiscard]] Time overhead() const override { return delay; }
  static inline Time delay = 1_ns;
};
const bool kMoody = hw::register_component<Moody, LyingSpec>("test.moody", topology::NodeKind::router,
                                                             "a router of moods", KBSIM_ABI);

Task<> change_later(Simulation* sim, Time at, Time delay) {
  co_await sim->until(at);
  Moody::delay = delay;
}

config::MachineSpec moody() {
  config::MachineSpec spec = with_sinks(small_machine());
  spec.cube.noc.router = {.impl = "test.moody"};
  return spec;
}

}  // namespace

TEST_CASE("Audit: a message that never arrives is reported") {
  Rig rig{with_sinks(small_machine())};
  hw::Fabric& fabric = rig.machine->fabric();
  (void)fabric.open(fabric.make(rig.pe({0, 0, 0}).dma, rig.hbm({0, 1, 0}), 256_B, hw::TrafficClass::request,
                                hw::MessageBody{}));
  CHECK_THROWS_WITH_AS(fabric.audit(), doctest::Contains("never arrived"), InternalError);
}

TEST_CASE("Audit: a unit that was busy for longer than there was time is named") {
  config::MachineSpec spec = with_sinks(small_machine());
  spec.cube.sram = {.impl = "test.liar"};
  Rig rig{spec};
  CHECK_NOTHROW(rig.machine->fabric().audit());
  rig.machine->at<Liar>(rig.graph.cube(0, 1).sram).year = 1_ns;
  CHECK_THROWS_WITH_AS(rig.machine->fabric().audit(),
                       doctest::Contains("utilisation over 1 of sip0.cube1.sram"), InternalError);
}

TEST_CASE("Audit: time without an account breaks Little's law, time saved beats a message's bound") {
  for (const Time later : {5_ns, 0_ns}) {
    CAPTURE(later.count());
    Moody::delay = 1_ns;
    Rig rig{moody()};
    (void)rig.sim.spawn("mood", change_later(&rig.sim, 3_ns, later));
    const std::vector<Flow> flow{{rig.pe({0, 0, 0}).dma, rig.hbm({0, 1, 0}), 256_B}};
    const auto run = [&] {
      (void)deliver(rig, flow);
      rig.machine->fabric().audit();
    };
    CHECK_THROWS_WITH_AS(run(), doctest::Contains(later > 1_ns ? "Little's law" : "beat its bound"), Error);
    Moody::delay = 1_ns;
  }
}

TEST_CASE("Audit: a lost credit is reported by its link") {
  config::MachineSpec spec = with_sinks(small_machine());
  spec.cube.noc.router = {.impl = "builtin.router_vc"};
  Rig rig{spec};
  CHECK_NOTHROW(rig.machine->fabric().audit());
  for (const hw::LiveLink& link : rig.machine->fabric().links()) {
    if (link.credits() == nullptr) continue;
    link.credits()->take(0, 1_B);
    break;
  }
  CHECK_THROWS_WITH_AS(rig.machine->fabric().audit(), doctest::Contains("credits were lost on link"),
                       InternalError);
}

}  // namespace kbsim::hw::test::audit_faults_test
