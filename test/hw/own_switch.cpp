// A switch that the fabric doesn't know: one file, through the public interface alone.
#include <algorithm>
#include <compare>
#include <deque>

#include <doctest/doctest.h>

#include "kbsim/hw/fabric/forwarder.hpp"
#include "kbsim/hw/fabric/i_switched.hpp"

#include "routers.hpp"

namespace kbsim::hw::test::own_switch_test {
namespace {

/// Store and forward: a packet goes on once its tail is here; packets of a link keep their order.
class StoreAndForward final : public ISwitch {
 public:
  explicit StoreAndForward(SwitchPorts ports) : ports_{ports}, queues_(ports.outputs()) {}

  void push(Packet& packet) override { queues_[ports_.output(packet)].push_back(&packet); }

  void allocate() override {
    for (std::uint32_t i = 0; i < queues_.size(); ++i) {
      if (!queues_[i].empty()) serve(i, queues_[i]);
    }
  }

 private:
  void serve(std::uint32_t output, std::deque<Packet*>& queue) {
    Packet& packet = *queue.front();
    const Time whole = packet.ready + (packet.tail - packet.head);
    const Time next = std::max(whole, ports_.free(output));
    if (next > ports_.now()) return ports_.wake(next);
    if (const auto channel = ports_.room_ahead(packet)) {
      queue.pop_front();
      const Time sent = ports_.send(packet, *channel);
      if (!queue.empty()) ports_.wake(sent);
    }
  }

  SwitchPorts ports_;
  std::vector<std::deque<Packet*>> queues_;  // by output
};

struct SafSpec {
  Time overhead = 1_ns;
  static void describe(FieldList<SafSpec>& f) {
    f.add("overhead_ns", &SafSpec::overhead, kNotNegative, "pipelined delay");
  }
};

class SafRouter : public Forwarder<SafSpec>, public ISwitched {
 public:
  using Forwarder::Forwarder;
  [[nodiscard]] std::unique_ptr<ISwitch> make_switch(SwitchPorts ports) override {
    return std::make_unique<StoreAndForward>(ports);
  }
};
KBSIM_COMPONENT("test.router_saf", NodeKind::router, SafRouter, SafSpec, "store-and-forward router");

class SafPort : public SafRouter {
 public:
  using SafRouter::SafRouter;
};
KBSIM_COMPONENT("test.ucie_saf", NodeKind::ucie, SafPort, SafSpec, "store-and-forward port");

/// A signal, or a packet that caused two, at a switch.
struct Seen {
  NodeId at;
  Time when{};
  std::uint64_t value = 0;
  friend auto operator<=>(const Seen&, const Seen&) = default;
};
struct SeenSignals {
  std::vector<Seen> packets;
  std::vector<Seen> signals;
};
SeenSignals& seen() {
  static SeenSignals all;
  return all;
}

/// Sends two signals for each packet to the switch before, which notes them; the second one is late.
class Signaller final : public ISwitch {
 public:
  static constexpr Time kDelay = 3_ns;
  Signaller(SwitchPorts ports, bool takes) : ports_{ports}, forward_{ports}, takes_{takes} {}

  void push(Packet& packet) override {
    if (const std::uint32_t input = ports_.input(packet); ports_.takes_signals(input)) {
      ports_.signal(input, 2, kDelay);
      ports_.signal(input, 1);
      seen().packets.push_back({.at = ports_.node(), .when = ports_.now()});
    }
    forward_.push(packet);
  }
  void allocate() override { forward_.allocate(); }
  bool take_signal(std::uint32_t output, std::uint64_t value) override {
    seen().signals.push_back({.at = ports_.node(), .when = ports_.now(), .value = value});
    CHECK(output < ports_.outputs());
    return takes_;
  }

 private:
  SwitchPorts ports_;
  StoreAndForward forward_;
  bool takes_;
};

struct SignalSpec {
  Time overhead = 1_ns;
  bool takes = true;
  static void describe(FieldList<SignalSpec>& f) {
    f.add("overhead_ns", &SignalSpec::overhead, kNotNegative, "pipelined delay");
    f.add("takes", &SignalSpec::takes, "whether it takes signals");
  }
};

class SignalRouter : public Forwarder<SignalSpec>, public ISwitched {
 public:
  using Forwarder::Forwarder;
  [[nodiscard]] std::unique_ptr<ISwitch> make_switch(SwitchPorts ports) override {
    return std::make_unique<Signaller>(ports, spec().takes);
  }
};
KBSIM_COMPONENT("test.router_signals", NodeKind::router, SignalRouter, SignalSpec, "sends signals back");

class QueuesOnly : public Forwarder<SafSpec>, public ISwitched {
 public:
  using Forwarder::Forwarder;
  [[nodiscard]] std::unique_ptr<ISwitch> make_switch(SwitchPorts) override { return nullptr; }
  [[nodiscard]] const InputQueues* input_queues() const override { return &queues_; }

 private:
  InputQueues queues_;
};
KBSIM_COMPONENT("test.queues_only", NodeKind::router, QueuesOnly, SafSpec,
                "finite queues that nobody serves");

// Extra time over cut-through: each router sends a packet anew, at the pace of the slowest link up to the
// next router.
Time stored(const topology::Graph& graph, const Flow& flow) {
  const topology::Route route = topology::find_route(graph, flow.from, flow.to, network_of(graph, flow));
  Bandwidth slowest = graph.link(route.front()).bandwidth;
  Bandwidth since_router = slowest;
  Time all{};
  for (const LinkId id : route) {
    const topology::Link& link = graph.link(id);
    if (graph.node(link.from).kind == topology::NodeKind::router) {
      all += serialization(flow.size, since_router);
      since_router = link.bandwidth;
    }
    since_router = std::min(since_router, link.bandwidth);
    slowest = std::min(slowest, link.bandwidth);
  }
  return all + serialization(flow.size, since_router) - serialization(flow.size, slowest);
}

}  // namespace

TEST_CASE("Switch of one's own: store and forward waits at every router for the tail of a packet") {
  config::MachineSpec spec = with_sinks(small_machine());
  spec.sip.ucie_link.bandwidth = Bandwidth::gbs(64.0);
  Rig plain{spec};
  Rig saf{with_routers(spec, "test.router_saf")};
  const Flow flow{plain.pe({0, 0, 0}).dma, plain.hbm({0, 1, 1}), 256_B};
  const Time alone = deliver(plain, {flow}).front();
  CHECK(stored(plain.graph, flow) > 4_ns);
  CHECK(deliver(saf, {flow}).front() == alone + stored(plain.graph, flow));
}

TEST_CASE("Switch of one's own: under load all arrives, whatever the order of ties, beside others' credits") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    config::MachineSpec spec =
        with_routers(without_ports(with_sinks(varied_machine(random))), "test.router_saf");
    if (seed % 2 == 0) spec.sip.io.router.impl = "builtin.router_vc";
    Rig first{spec};
    const std::vector<Flow> flows = random_flows(random, first, 100);
    const std::vector<Time> arrivals = deliver(first, flows);
    CHECK_NOTHROW(first.machine->fabric().audit());
    Rig again{spec, {.shuffle_ties = seed}};
    CHECK(deliver(again, flows) == arrivals);
  }
}

TEST_CASE(
    "Switch of one's own: a signal is at the switch before after its delay and the wire, and wakes it") {
  seen() = {};
  Rig rig{with_routers(with_sinks(small_machine()), "test.router_signals")};
  const Flow flow{rig.pe({0, 0, 0}).dma, rig.hbm({0, 1, 1}), 64_B};
  (void)deliver(rig, {flow});
  std::vector<Seen> expected;
  for (const Seen& packet : seen().packets) {
    for (const LinkId id : topology::find_route(rig.graph, flow.from, flow.to)) {
      const topology::Link& link = rig.graph.link(id);
      if (link.to != packet.at) continue;
      expected.push_back({.at = link.from, .when = packet.when + link.wire, .value = 1});
      expected.push_back({.at = link.from, .when = packet.when + Signaller::kDelay + link.wire, .value = 2});
    }
  }
  REQUIRE(expected.size() >= 2);
  CHECK(expected.size() == 2 * seen().packets.size());
  std::ranges::sort(expected);
  std::ranges::sort(seen().signals);
  const bool same = seen().signals == expected;
  CHECK(same);
}

TEST_CASE("Switch of one's own: one that takes no signals is refused, with the one that sends them") {
  Rig rig{with_routers(with_sinks(small_machine()), "test.router_signals", {{"takes", false}})};
  CHECK_THROWS_WITH_AS((void)deliver(rig, {{rig.pe({0, 0, 0}).dma, rig.hbm({0, 1, 1}), 64_B}}),
                       doctest::Contains("the switch of 'test.router_signals' takes no signals, and that of"),
                       Error);
}

TEST_CASE(
    "Switch of one's own: finite queues without a switch are refused, since no switch would give room back") {
  CHECK_THROWS_WITH_AS(Rig{with_routers(small_machine(), "test.queues_only")},
                       doctest::Contains("must give one by make_switch()"), ConfigError);
}

TEST_CASE("Switch of one's own: one that sends packets is refused before a router that switches worms") {
  config::MachineSpec spec = with_routers(small_machine(), "builtin.router_iq");
  spec.sip.ucie = {.impl = "test.ucie_saf"};
  CHECK_THROWS_WITH_AS(Rig{spec}, doctest::Contains("'test.ucie_saf' has a switch of packets, and a link to"),
                       ConfigError);
}

}  // namespace kbsim::hw::test::own_switch_test
