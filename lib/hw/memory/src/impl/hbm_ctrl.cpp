#include "kbsim/hw/memory/memory_model.hpp"
#include "kbsim/hw/memory/port_timing.hpp"

namespace kbsim::hw {
namespace {

struct HbmCtrlSpec {
  double efficiency = 0.8;
  Time access = 30_ns;
  static void describe(FieldList<HbmCtrlSpec>& f) {
    f.add("efficiency", &HbmCtrlSpec::efficiency, between(0.01, 1.0),
          "share of the raw bandwidth that data gets");
    f.add("access_ns", &HbmCtrlSpec::access, kNotNegative, "pipelined latency of an access");
  }
};

/// One HBM slice: one port of rate raw bandwidth x efficiency for reads and writes together.
class HbmCtrl final : public PortTiming {
 public:
  HbmCtrl(const MemorySite& site, const HbmCtrlSpec& spec)
      : PortTiming{spec.access, Bandwidth::gbs(site.link.gbs() * spec.efficiency)} {}
};
KBSIM_MEMORY("builtin.hbm_ctrl", NodeKind::hbm_ctrl, HbmCtrl, HbmCtrlSpec,
             "HBM slice as one server of effective bandwidth");

}  // namespace
}  // namespace kbsim::hw
