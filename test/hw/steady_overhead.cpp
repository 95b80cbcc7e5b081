// overhead() is constant by contract: reservations, paths and the audit use what it gave first.
#include <doctest/doctest.h>

#include "kbsim/hw/fabric/forwarder.hpp"

#include "routers.hpp"

namespace kbsim::hw::test::steady_overhead_test {
namespace {

struct TiringSpec {
  Time overhead = 2_ns;
  Time since = 10_ns;
  static void describe(FieldList<TiringSpec>& f) {
    f.add("overhead_ns", &TiringSpec::overhead, kNotNegative, "pipelined delay");
    f.add("since_ns", &TiringSpec::since, kNotNegative, "when the delay becomes longer");
  }
};

/// A router that becomes slower with time.
class Tiring : public Component {
 public:
  Tiring(Fabric& fabric, NodeId id, TiringSpec spec) : Component{fabric, id}, spec_{spec} {}
  [[nodiscard]] Time overhead() const override {
    return sim().now() < spec_.since ? spec_.overhead : spec_.overhead + 3_ns;
  }

 private:
  TiringSpec spec_;
};
KBSIM_COMPONENT("test.tiring", NodeKind::router, Tiring, TiringSpec, "becomes slower");

/// The same, of a component that passes everything on.
class TiringForwarder : public Forwarder<TiringSpec> {
 public:
  using Forwarder::Forwarder;
  [[nodiscard]] Time overhead() const override {
    return sim().now() < spec().since ? spec().overhead : spec().overhead + 3_ns;
  }
};
KBSIM_COMPONENT("test.tiring_forwarder", NodeKind::router, TiringForwarder, TiringSpec, "becomes slower");

std::string refusal(const std::string& impl, Time at) {
  try {
    Rig rig{with_routers(with_sinks(small_machine()), impl)};
    const Flow early{rig.pe({0, 0, 0}).dma, rig.hbm({0, 0, 1}), 64_B};
    Flow late = early;
    late.at = at;
    (void)deliver(rig, {early, late});
    rig.machine->fabric().audit();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Component: an overhead that varies is refused, with the component's name and both values") {
  for (const std::string impl : {"test.tiring", "test.tiring_forwarder"}) {
    CAPTURE(impl);
    const std::string text = refusal(impl, 20_ns);
    CAPTURE(text);
    CHECK(text.find("sip0.io.noc.r0: overhead()") != std::string::npos);
    CHECK(text.find("overhead() of '" + impl + "' was 2 ns when the machine was made, and is 5 ns at ") !=
          std::string::npos);
    CHECK(text.find("it must not vary") != std::string::npos);
  }
}

}  // namespace kbsim::hw::test::steady_overhead_test
