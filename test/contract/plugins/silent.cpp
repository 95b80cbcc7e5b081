// A memory that doesn't say why its requests wait, and a part that doesn't say why it waits: no run with them
// can be explained.
#include <kbsim/hw/fabric/component.hpp>
#include <kbsim/hw/memory/memory_model.hpp>
#include <kbsim/hw/memory/port_timing.hpp>

namespace {

using namespace kbsim::literals;
namespace hw = kbsim::hw;

struct SilentSpec {
  static void describe(auto& /*f*/) {}
};

class Silent final : public hw::PortTiming {
 public:
  Silent(const hw::MemorySite& site, const SilentSpec& /*spec*/) : PortTiming{30_ns, site.link} {}
  [[nodiscard]] int lanes() const override { return 0; }
};
KBSIM_MEMORY("silent", NodeKind::hbm_ctrl, Silent, SilentSpec, "doesn't say why");

struct Tick {
  static constexpr hw::BodyTraits kTraits{.name = "tick", .order = 200};
};

class SilentPart final : public hw::Component {
 public:
  SilentPart(hw::Fabric& fabric, kbsim::NodeId id, SilentSpec /*spec*/) : Component{fabric, id} {}
  void start(hw::Machine& machine) override {
    Component::start(machine);
    (void)sim().spawn(name(), tick());
  }

 private:
  kbsim::Task<> tick() {
    co_await sim().delay(100_us);
    const std::string part = name().substr(name().rfind('.'));
    if (name() == "sip0.cube1" + part)
      send_message(*fabric().graph().find("sip0.cube0" + part), 16_B, hw::TrafficClass::request, Tick{});
  }
  // Under another name, a part waits at the end, too.
  kbsim::Task<> wait() { co_await sim().delay(200_us); }
  [[nodiscard]] kbsim::Task<> run() override {
    for (;;) {
      co_await in().receive();
      if (name().ends_with(".waiter")) (void)sim().spawn(name(), wait());
    }
  }
};
KBSIM_COMPONENT("silent.part", NodeKind::part, SilentPart, SilentSpec, "waits, and doesn't say why");

}  // namespace
