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

TEST_CASE("Audit: time without an account breaks Little's law") {
  Rig rig{with_sinks(small_machine())};
  hw::Fabric& fabric = rig.machine->fabric();
  (void)deliver(rig, {{rig.pe({0, 0, 0}).dma, rig.hbm({0, 1, 0}), 256_B}});
  CHECK_NOTHROW(fabric.audit());
  for (hw::LiveLink& link : fabric.live_links()) {
    if (link.lane.packets() > 0) link.wire += 5_ns;
  }
  CHECK_THROWS_WITH_AS(fabric.audit(), doctest::Contains("Little's law"), InternalError);
}

TEST_CASE("Audit: a message that arrives before its bound is reported") {
  Rig rig{with_sinks(small_machine())};
  const Flow flow{rig.pe({0, 0, 0}).dma, rig.hbm({0, 1, 0}), 256_B};
  rig.machine->fabric().path(flow.from, flow.to).overhead += 5_ns;
  CHECK_THROWS_WITH_AS((void)deliver(rig, {flow}), doctest::Contains("beat its bound"), Error);
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
