// The memories that several PEs share: HBM slices and SRAM.
#include "kbsim/base/error.hpp"
#include "kbsim/hw/memory/memory.hpp"

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

// The raw bandwidth is that of the slice's link to the crossbar.
Bandwidth raw_bandwidth(const topology::Graph& graph, NodeId id) {
  return graph.link(graph.out(id).front()).bandwidth;
}

/// One HBM slice: one server of rate raw bandwidth x efficiency for reads and writes together, in order of
/// arrival, plus a pipelined access latency.
class HbmCtrl : public Memory {
 public:
  HbmCtrl(Fabric& fabric, NodeId id, HbmCtrlSpec spec)
      : HbmCtrl{fabric, id, spec, effective(fabric, id, spec)} {}

 private:
  HbmCtrl(Fabric& fabric, NodeId id, HbmCtrlSpec spec, Bandwidth rate)
      : Memory{fabric, id, spec.access, rate, rate, true} {}
  static Bandwidth effective(const Fabric& fabric, NodeId id, const HbmCtrlSpec& spec) {
    return Bandwidth::gbs(raw_bandwidth(fabric.graph(), id).gbs() * spec.efficiency);
  }
};
KBSIM_COMPONENT("builtin.hbm_ctrl", NodeKind::hbm_ctrl, HbmCtrl, HbmCtrlSpec,
                "HBM slice as one server of effective bandwidth");

struct SramSpec {
  Bandwidth rate = Bandwidth::gbs(256.0);
  Time access = 4_ns;
  static void describe(FieldList<SramSpec>& f) {
    f.add("bw_gbs", &SramSpec::rate, kPositive, "bandwidth of its one port");
    f.add("access_ns", &SramSpec::access, kNotNegative, "pipelined latency of an access");
  }
};

/// The SRAM of a cube: one server for reads and writes together, in order of arrival.
class Sram : public Memory {
 public:
  Sram(Fabric& fabric, NodeId id, SramSpec spec)
      : Memory{fabric, id, spec.access, spec.rate, spec.rate, true} {}
};
KBSIM_COMPONENT("builtin.sram", NodeKind::sram, Sram, SramSpec, "memory shared in a cube");

}  // namespace
}  // namespace kbsim::hw
