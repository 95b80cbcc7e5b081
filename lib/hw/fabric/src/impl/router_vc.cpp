#include "kbsim/hw/fabric/forwarder.hpp"
#include "kbsim/hw/fabric/i_switched.hpp"

#include "vc_switch.hpp"

namespace kbsim::hw {
namespace {

struct RouterVcSpec {
  Time overhead = 1_ns;
  int vcs = 8;
  Bytes buffer{4096};
  std::string arbiter = "round_robin";
  static void describe(FieldList<RouterVcSpec>& f) {
    f.add("overhead_ns", &RouterVcSpec::overhead, kNotNegative,
          "pipelined delay of a router: arbitration and switch");
    f.add("vcs", &RouterVcSpec::vcs, between(1, 64), "virtual channels of each input port");
    f.add("buffer_bytes", &RouterVcSpec::buffer, at_least(1),
          "queue of a virtual channel; must hold a packet");
    f.add("arbiter", &RouterVcSpec::arbiter,
          "which packet goes first at an output: round_robin or oldest_first");
  }
};

/// Input-queued: a FIFO of `buffer_bytes` for each virtual channel of each input port. A packet leaves the
/// node before only if there is room for all of it here, in the channel of its class with the most room;
/// the room is given back when its tail has left, and known there a wire delay later.
class RouterVc : public Forwarder<RouterVcSpec>, public ISwitched {
 public:
  RouterVc(Fabric& fabric, NodeId id, RouterVcSpec spec)
      : Forwarder{fabric, id, spec},
        queues_{.vcs = spec.vcs, .bytes = spec.buffer},
        arbiter_{arbiter_named(spec.arbiter, node())} {}

  void start(Machine& /*machine*/) override { serve_box<&RouterVc::inbox, &RouterVc::run>(*this); }
  [[nodiscard]] Task<> run() override;
  [[nodiscard]] const InputQueues* input_queues() const override { return &queues_; }
  [[nodiscard]] std::unique_ptr<ISwitch> make_switch(SwitchPorts ports) override {
    return make_vc_switch(ports, arbiter_);
  }

 private:
  InputQueues queues_;
  const ArbiterModel& arbiter_;
};

Task<> RouterVc::run() {
  std::vector<Packet*> packets;
  for (;;) {
    packets.clear();
    co_await inbox().collect(packets);  // all of this time; none if only room has come back or a link is free
    take(packets);                      // each joins the queue of its virtual channel
    allocate();                         // each link takes one that has room ahead
  }
}

KBSIM_COMPONENT("builtin.router_vc", NodeKind::router, RouterVc, RouterVcSpec,
                "input-queued router with virtual channels, finite buffers and credits");

}  // namespace
}  // namespace kbsim::hw
