// Components that only pass packets on: an overhead, and the links behind them do the rest.
#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {
namespace {

/// Passes packets on, `overhead_ns` later, pipelined. Output-queued with unlimited buffers: each output
/// link is one FIFO server in the order of head arrival, ties by input port.
template <class Spec>
class Forwarder : public Component {
 public:
  Forwarder(Fabric& fabric, NodeId id, Spec spec) : Component{fabric, id}, spec_{spec} {}
  [[nodiscard]] Time overhead() const override { return spec_.overhead; }

 private:
  Spec spec_;
};

struct RouterSpec {
  Time overhead = 1_ns;
  static void describe(FieldList<RouterSpec>& f) {
    f.add("overhead_ns", &RouterSpec::overhead, kNotNegative,
          "pipelined delay of a router: arbitration and switch");
  }
};
using Router = Forwarder<RouterSpec>;
KBSIM_COMPONENT("builtin.router", NodeKind::router, Router, RouterSpec,
                "output-queued router with unlimited buffers");

struct RouterVcSpec {
  Time overhead = 1_ns;
  int vcs = 8;
  Bytes buffer{4096};
  static void describe(FieldList<RouterVcSpec>& f) {
    f.add("overhead_ns", &RouterVcSpec::overhead, kNotNegative,
          "pipelined delay of a router: arbitration and switch");
    f.add("vcs", &RouterVcSpec::vcs, between(1, 64), "virtual channels of each input port");
    f.add("buffer_bytes", &RouterVcSpec::buffer, at_least(1),
          "queue of a virtual channel; must hold a packet");
  }
};

/// Input-queued: a FIFO of `buffer_bytes` for each virtual channel of each input port. A packet leaves the
/// node before only if there is room for all of it here, in the channel of its class with the most room;
/// the room is given back when its tail has left, and known there a wire delay later. See VcSwitch for who
/// goes first.
class RouterVc : public Forwarder<RouterVcSpec> {
 public:
  RouterVc(Fabric& fabric, NodeId id, RouterVcSpec spec)
      : Forwarder{fabric, id, spec}, queues_{.vcs = spec.vcs, .bytes = spec.buffer} {}
  [[nodiscard]] const InputQueues* input_queues() const override { return &queues_; }

 private:
  InputQueues queues_;
};
KBSIM_COMPONENT("builtin.router_vc", NodeKind::router, RouterVc, RouterVcSpec,
                "input-queued router with virtual channels, finite buffers and credits");

struct UcieSpec {
  Time overhead = 8_ns;
  static void describe(FieldList<UcieSpec>& f) {
    f.add("overhead_ns", &UcieSpec::overhead, kNotNegative,
          "protocol overhead of one port; two ports a crossing");
  }
};
using Ucie = Forwarder<UcieSpec>;
KBSIM_COMPONENT("builtin.ucie", NodeKind::ucie, Ucie, UcieSpec, "one port of a die-to-die link");

struct SwitchSpec {
  Time overhead = 5_ns;
  static void describe(FieldList<SwitchSpec>& f) {
    f.add("overhead_ns", &SwitchSpec::overhead, kNotNegative, "pipelined delay of the switch");
  }
};
using Switch = Forwarder<SwitchSpec>;
KBSIM_COMPONENT("builtin.switch", NodeKind::pcie_switch, Switch, SwitchSpec,
                "PCIe switch between host and packages");

struct PcieEpSpec {
  Time overhead = 10_ns;
  static void describe(FieldList<PcieEpSpec>& f) {
    f.add("overhead_ns", &PcieEpSpec::overhead, kNotNegative, "pipelined delay of the endpoint");
  }
};
using PcieEp = Forwarder<PcieEpSpec>;
KBSIM_COMPONENT("builtin.pcie_ep", NodeKind::pcie_ep, PcieEp, PcieEpSpec, "PCIe endpoint of a package");

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
