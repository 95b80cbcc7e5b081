#include "kbsim/hw/memory/memory_model.hpp"
#include "kbsim/hw/memory/port_timing.hpp"

namespace kbsim::hw {
namespace {

struct SramSpec {
  Bandwidth rate = Bandwidth::gbs(256.0);
  Time access = 4_ns;
  static void describe(FieldList<SramSpec>& f) {
    f.add("bw_gbs", &SramSpec::rate, kPositive, "bandwidth of its one port");
    f.add("access_ns", &SramSpec::access, kNotNegative, "pipelined latency of an access");
  }
};

/// The SRAM of a cube: one port for reads and writes together.
class Sram final : public PortTiming {
 public:
  Sram(const MemorySite&, const SramSpec& spec) : PortTiming{spec.access, spec.rate} {}
};
KBSIM_MEMORY("builtin.sram", NodeKind::sram, Sram, SramSpec, "memory shared in a cube");

}  // namespace
}  // namespace kbsim::hw
