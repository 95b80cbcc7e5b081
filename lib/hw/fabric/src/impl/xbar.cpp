#include "kbsim/hw/fabric/forwarder.hpp"

namespace kbsim::hw {
namespace {

struct XbarSpec {
  Time overhead = 2_ns;
  static void describe(FieldList<XbarSpec>& f) {
    f.add("overhead_ns", &XbarSpec::overhead, kNotNegative, "pipelined delay: arbitration");
  }
};

using Xbar = Forwarder<XbarSpec>;
KBSIM_COMPONENT("builtin.xbar", NodeKind::xbar, Xbar, XbarSpec, "crossbar between PEs, NOC and HBM slices");

}  // namespace
}  // namespace kbsim::hw
