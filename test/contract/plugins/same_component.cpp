// A component and an arbiter with names that kbsim's own have.
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_arbiter.hpp"

namespace kbsim::hw {
namespace {

struct NoSpec {
  static void describe(FieldList<NoSpec>&) {}
};

class Another : public Component {
 public:
  Another(Fabric& fabric, NodeId id, NoSpec) : Component{fabric, id} {}
};
KBSIM_COMPONENT("builtin.router", NodeKind::router, Another, NoSpec, "another one of this name");

class AnotherArbiter : public IArbiter {
 public:
  AnotherArbiter(std::uint32_t, std::uint32_t) {}
  [[nodiscard]] bool before(const SwitchRequest&, const SwitchRequest&) const override { return false; }
  void served(const SwitchRequest&) override {}
};
KBSIM_ARBITER("round_robin", AnotherArbiter, "another one of this name");

}  // namespace
}  // namespace kbsim::hw
