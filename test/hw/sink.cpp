#include "sink.hpp"

namespace kbsim::hw::test {

KBSIM_COMPONENT("test.sink", NodeKind::hbm_ctrl, Sink, SinkSpec, "notes what arrives");

namespace {

Task<> send(Rig* rig, Flow flow, std::uint32_t origin) {
  co_await rig->sim.until(flow.at);
  Fabric& fabric = rig->machine->fabric();
  MessagePtr message = fabric.make(flow.from, flow.to, flow.size, TrafficClass::request, MessageBody{});
  message->origin = origin;
  fabric.send(std::move(message));
}

}  // namespace

void Sink::accept(Packet& packet) {
  const Time tail = packet.tail;
  if (const MessagePtr message = fabric().arrived(packet))
    deliveries_.push_back({.origin = message->origin, .size = message->size, .at = tail});
}

namespace {

Task<> wait_until(Simulation* sim, Time at) { co_await sim->until(at); }

}  // namespace

int network_of(const topology::Graph& graph, const Flow& flow) {
  const config::NocUseSpec& use = graph.spec().cube.noc.use;
  const topology::NodeKind kind = graph.node(flow.from).kind;
  if (kind == topology::NodeKind::pe_dma) return static_cast<int>(use.reads);
  return static_cast<int>(kind == topology::NodeKind::pe_tcm ? use.writes : use.control);
}

std::vector<Time> deliver(Rig& rig, const std::vector<Flow>& flows) {
  for (std::uint32_t i = 0; i < flows.size(); ++i)
    (void)rig.sim.spawn("flow " + std::to_string(i), send(&rig, flows[i], i));
  rig.sim.run();
  std::vector<Time> arrivals(flows.size(), kForever);
  for (const topology::SipNodes& sip : rig.graph.sips()) {
    for (const topology::CubeNodes& cube : sip.cubes) {
      for (const NodeId slice : cube.hbm) {
        for (const Sink::Delivery& delivery : rig.machine->at<Sink>(slice).deliveries()) {
          ensure(arrivals[delivery.origin] == kForever, "a flow is delivered once");
          ensure(delivery.size == flows[delivery.origin].size, "a flow is delivered whole");
          arrivals[delivery.origin] = delivery.at;
        }
      }
    }
  }
  // Sinks take packets at their heads; the links are busy until the last tail arrives.
  if (!arrivals.empty()) rig.run(wait_until(&rig.sim, std::ranges::max(arrivals)));
  return arrivals;
}

config::MachineSpec with_sinks(config::MachineSpec spec) {
  spec.cube.hbm_ctrl = {.impl = "test.sink"};
  return spec;
}

}  // namespace kbsim::hw::test
