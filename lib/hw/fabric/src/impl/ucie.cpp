#include "kbsim/hw/fabric/forwarder.hpp"

namespace kbsim::hw {
namespace {

struct UcieSpec {
  Time overhead = 8_ns;
  static void describe(FieldList<UcieSpec>& f) {
    f.add("overhead_ns", &UcieSpec::overhead, kNotNegative,
          "protocol overhead of one port; two ports a crossing");
  }
};

using Ucie = Forwarder<UcieSpec>;
KBSIM_COMPONENT("builtin.ucie", NodeKind::ucie, Ucie, UcieSpec, "one port of a die-to-die link");

}  // namespace
}  // namespace kbsim::hw
