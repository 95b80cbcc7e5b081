#include "kbsim/hw/fabric/forwarder.hpp"

namespace kbsim::hw {
namespace {

struct PcieEpSpec {
  Time overhead = 10_ns;
  static void describe(FieldList<PcieEpSpec>& f) {
    f.add("overhead_ns", &PcieEpSpec::overhead, kNotNegative, "pipelined delay of the endpoint");
  }
};

using PcieEp = Forwarder<PcieEpSpec>;
KBSIM_COMPONENT("builtin.pcie_ep", NodeKind::pcie_ep, PcieEp, PcieEpSpec, "PCIe endpoint of a package");

}  // namespace
}  // namespace kbsim::hw
