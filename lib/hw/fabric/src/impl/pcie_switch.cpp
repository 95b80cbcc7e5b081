#include "kbsim/hw/fabric/forwarder.hpp"

namespace kbsim::hw {
namespace {

struct SwitchSpec {
  Time overhead = 5_ns;
  static void describe(FieldList<SwitchSpec>& f) {
    f.add("overhead_ns", &SwitchSpec::overhead, kNotNegative, "pipelined delay of the switch");
  }
};

using Switch = Forwarder<SwitchSpec>;
KBSIM_COMPONENT("builtin.switch", NodeKind::pcie_switch, Switch, SwitchSpec,
                "PCIe switch between host and packages");

}  // namespace
}  // namespace kbsim::hw
