// A stopped run: the work that its units have done by then, not the work reserved ahead.
#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/hw/fabric/reserved.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::stopped_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr Ptr kHere{.va = kVa, .dtype = f16};

struct NoArgs {};

// Sums and products that are issued long before they are done, with a gap where they wait for a load.
Task<> issues_ahead(TL& tl, NoArgs) {
  auto loading = tl.load(kHere, {64, 64}, f16);
  const Tile a = tl.zeros({64, 64});
  Tile sum = a + a;
  for (int i = 0; i < 5; ++i) sum += sum;
  const Tile c = tl.dot(a, a);
  const Tile loaded = co_await loading;
  sum = tl.dot(loaded, loaded) + c;
  co_await tl.store(kHere, sum.to(f16));
}

class Run {
 public:
  explicit Run(const config::MachineSpec& spec, Time stop_at = kForever) : rig{spec, {.stop_at = stop_at}} {
    const KernelCall call = bind_kernel("issues_ahead", issues_ahead, NoArgs{});
    Task<> program = map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe), call);
    try {
      rig.run(std::move(program));
    } catch (const LimitError&) {
      stopped = true;
    }
  }
  // All uses of a unit together.
  [[nodiscard]] Time busy(NodeId unit) const {
    Time sum{};
    for (const UnitUse& use : rig.machine->component(unit).use()) sum += use.busy;
    return sum;
  }

  Rig rig;
  bool stopped = false;
};

}  // namespace

TEST_CASE("Reserved: what is ahead of a time, over gaps, and however much is past") {
  Reserved reserved;
  CHECK(reserved.after(0_ns) == 0_ns);
  reserved.add(10_ns, 20_ns, 0_ns);
  reserved.add(20_ns, 25_ns, 0_ns);
  reserved.add(40_ns, 50_ns, 0_ns);
  CHECK(reserved.after(0_ns) == 25_ns);
  CHECK(reserved.after(12_ns) == 23_ns);
  CHECK(reserved.after(30_ns) == 10_ns);
  CHECK(reserved.after(45_ns) == 5_ns);
  CHECK(reserved.after(50_ns) == 0_ns);
  for (int i = 6; i < 1000; ++i) reserved.add(i * 10_ns, i * 10_ns + 1_ns, (i - 3) * 10_ns);
  CHECK(reserved.after(9970_ns) == 3_ns);
}

TEST_CASE("A stopped run: engines were busy as long as their operations had run by then") {
  const Run whole{small_machine()};
  REQUIRE_FALSE(whole.stopped);
  const topology::PeNodes& pe = whole.rig.pe(kPe);
  const Time end = whole.rig.sim.now();
  int partly = 0;
  for (Time at = 7_ns; at < end; at += 7_ns) {
    const Run run{small_machine(), at};
    REQUIRE(run.stopped);
    const Time now = run.rig.sim.now();
    CHECK(now <= at);
    for (const NodeId unit : {pe.gemm, pe.math}) {
      Time expected{};
      for (const oplog::Op& op : whole.rig.log.ops(whole.rig.machine->lane(kPe))) {
        if (op.unit == unit) expected += std::max(Time{0}, std::min(op.end, now) - std::min(op.start, now));
      }
      CAPTURE(to_string(at));
      CHECK(run.busy(unit) == expected);
      if (expected > Time{0} && expected < whole.busy(unit)) ++partly;
    }
  }
  CHECK(partly > 10);
}

TEST_CASE("A stopped run: no unit was busy longer than it ran, whatever its memories are") {
  for (const bool banks : {false, true}) {
    config::MachineSpec spec = small_machine();
    if (banks) spec.cube.hbm_ctrl = {.impl = "builtin.hbm_banks"};
    const Run whole{spec};
    REQUIRE_FALSE(whole.stopped);
    for (Time at = 5_ns; at < whole.rig.sim.now(); at += 11_ns) {
      const Run run{spec, at};
      for (std::uint32_t i = 0; i < run.rig.graph.nodes().size(); ++i) {
        CAPTURE(run.rig.graph.nodes()[i].name);
        CHECK(run.busy(NodeId{i}) <= 2 * at);  // reads and writes
        CHECK(run.busy(NodeId{i}) <= whole.busy(NodeId{i}));
      }
    }
  }
}

}  // namespace kbsim::hw::test::stopped_test
