// A router that kbsim doesn't have: the delay of its pipeline is an attribute.
#include <cstdlib>
#include <fstream>

#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {
namespace {

struct SlowRouterSpec {
  Time pipeline = 100_ns;
  static void describe(FieldList<SlowRouterSpec>& f) {
    f.add("pipeline_ns", &SlowRouterSpec::pipeline, kNotNegative, "from a packet's head to its output");
  }
};

class SlowRouter : public Component {
 public:
  SlowRouter(Fabric& fabric, NodeId id, SlowRouterSpec spec) : Component{fabric, id}, spec_{spec} {}
  SlowRouter(const SlowRouter&) = delete;
  SlowRouter& operator=(const SlowRouter&) = delete;
  // Writes a log at its end, as a router with statistics of its own would.
  ~SlowRouter() override {
    if (const char* const file = std::getenv("SLOW_ROUTER_LOG"))
      std::ofstream{file, std::ios::app} << name() << '\n';
  }
  [[nodiscard]] Time overhead() const override { return spec_.pipeline; }

 private:
  SlowRouterSpec spec_;
};
KBSIM_COMPONENT("slow_router", NodeKind::router, SlowRouter, SlowRouterSpec, "a router from outside");

}  // namespace
}  // namespace kbsim::hw
