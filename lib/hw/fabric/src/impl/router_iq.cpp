#include <algorithm>
#include <string>

#include "kbsim/hw/fabric/forwarder.hpp"
#include "kbsim/hw/fabric/i_switched.hpp"

#include "worm_switch.hpp"

namespace kbsim::hw {
namespace {

struct RouterIqSpec {
  Time overhead = 1_ns;
  int vcs = 8;
  Bytes flit{256};
  int buffer_flits = 16;
  int packet_flits = 64;
  Matching allocator = Matching::islip;
  int iterations = 1;
  int input_speedup = 1;
  int credit_cycles = 1;
  bool voq = false;
  std::string arbiter = "round_robin";
  static void describe(FieldList<RouterIqSpec>& f) {
    f.add("overhead_ns", &RouterIqSpec::overhead, kNotNegative,
          "pipelined delay of a router: arbitration and switch");
    f.add("vcs", &RouterIqSpec::vcs, between(1, 64), "virtual channels of each input port");
    f.add("flit_bytes", &RouterIqSpec::flit, between(1_B, 1_GiB),
          "unit of switching; packets of the whole machine are at most as large");
    f.add("buffer_flits", &RouterIqSpec::buffer_flits, between(1, 1 << 20),
          "buffer of a virtual channel, in flits");
    f.add("packet_flits", &RouterIqSpec::packet_flits, between(1, 1 << 20),
          "flits of a message that hold a virtual channel together, at most");
    f.choice("allocator", &RouterIqSpec::allocator, {"islip", "separable"},
             "how virtual channels and the crossbar are allocated: islip or separable");
    f.add("iterations", &RouterIqSpec::iterations, between(1, 64), "rounds of an allocation");
    f.add("input_speedup", &RouterIqSpec::input_speedup, between(1, 64),
          "inputs of the crossbar for each input port, its channels in turn");
    f.add("credit_cycles", &RouterIqSpec::credit_cycles, between(0, 1000),
          "what a credit takes besides the wire, in times of a flit on the fastest link");
    f.add("voq", &RouterIqSpec::voq,
          "virtual output queues: a virtual channel has a FIFO for each output, else one");
    f.add("arbiter", &RouterIqSpec::arbiter,
          "which request goes first in allocations: round_robin or oldest_first");
  }
};

/// Input-queued router with virtual channels, in which flits of several worms share an input port: it sends
/// `input_speedup` flits a cycle. The first flit of a worm takes a virtual channel ahead in the last cycle of
/// the pipeline, or at once if the pipeline is shorter; each flit takes a credit. The next worm of a channel
/// asks for its own when the tail of the last flit has left (Dally and Towles 2004, ch. 16).
class RouterIq : public Forwarder<RouterIqSpec>, public ISwitched {
 public:
  RouterIq(Fabric& fabric, NodeId id, RouterIqSpec spec)
      : Forwarder{fabric, id, spec}, arbiter_{arbiter_named(spec.arbiter, node())} {
    const Time cycle = this->cycle();
    queues_ = {.vcs = spec.vcs,
               .bytes = flit() * spec.buffer_flits,
               .worms = Worms{.flit = flit(),
                              .flits = spec.packet_flits,
                              .lookahead = std::min(cycle, spec.overhead),
                              .credit = cycle * spec.credit_cycles}};
  }

  void start(Machine& /*machine*/) override { serve_box<&RouterIq::inbox, &RouterIq::run>(*this); }
  [[nodiscard]] Task<> run() override;
  [[nodiscard]] const InputQueues* input_queues() const override { return &queues_; }
  [[nodiscard]] std::unique_ptr<ISwitch> make_switch(SwitchPorts ports) override {
    return make_worm_switch(ports, arbiter_,
                            {.matching = spec().allocator,
                             .iterations = spec().iterations,
                             .input_speedup = static_cast<std::uint32_t>(spec().input_speedup),
                             .by_output = spec().voq,
                             .cycle = cycle(),
                             .lookahead = queues_.worms->lookahead});
  }

 private:
  [[nodiscard]] Bytes flit() const {
    const Bytes packet = fabric().graph().spec().system.packet_bytes;
    return packet == 0_B ? spec().flit : std::min(packet, spec().flit);
  }
  // A flit's time on the fastest link.
  [[nodiscard]] Time cycle() const {
    Time cycle = kForever;
    for (const LinkId link : fabric().graph().out(id()))
      cycle = std::min(cycle, serialization(flit(), fabric().graph().link(link).bandwidth));
    return cycle;
  }

  InputQueues queues_;
  const ArbiterModel& arbiter_;
};

Task<> RouterIq::run() {
  std::vector<Packet*> packets;
  for (;;) {
    packets.clear();
    co_await inbox().collect(packets);  // all of this time; none if only room has come back or a link is free
    take(packets);                      // each joins the queue of its virtual channel
    allocate();                         // channels, then the crossbar: a flit a link
  }
}

KBSIM_COMPONENT("builtin.router_iq", NodeKind::router, RouterIq, RouterIqSpec,
                "input-queued crossbar with virtual channels, switched flit by flit");

}  // namespace
}  // namespace kbsim::hw
