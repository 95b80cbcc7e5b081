#include "kbsim/hw/fabric/switch_ports.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {

SwitchPorts::SwitchPorts(Fabric& fabric, NodeId node, bool one_input)
    : fabric_{&fabric},
      node_{node},
      inputs_{one_input ? 1 : fabric.inputs_[node.value()] + 1},
      outputs_{static_cast<std::uint32_t>(fabric.graph().out(node).size())} {
  const InputQueues* queues = fabric.component(node).input_queues();
  const topology::Graph& graph = fabric.graph();
  finite_ = queues != nullptr;
  channels_ = static_cast<std::uint32_t>(finite_ ? queues->vcs : graph.classes() * graph.phases());
}

std::uint32_t SwitchPorts::channel(const Packet& packet) const {
  return finite_ && packet.port > 0 ? packet.channel : fabric_->channels(packet).first;
}

std::optional<std::uint32_t> SwitchPorts::room_ahead(const Packet& packet) {
  LiveLink& link = fabric_->next_link(packet);
  if (!link.credits) return 0;
  if (packet.size > link.credits->capacity()) {
    const topology::Node& node = fabric_->graph().node(link.to);
    throw ConfigError{node.model->at, node.name,
                      fmt::format("buffer_bytes: {} can't hold a packet of {}",
                                  to_string(link.credits->capacity()), to_string(packet.size))};
  }
  const auto channel = link.credits->choose(fabric_->channels(packet), packet.size, now());
  if (!channel && link.lane.free() <= now()) link.blocked_since = std::min(link.blocked_since, now());
  return channel;
}

void SwitchPorts::unblocked(std::uint32_t output) {
  LiveLink& link = fabric_->live(fabric_->graph().out(node_)[output]);
  if (link.blocked_since != kForever) link.blocked += now() - link.blocked_since;
  link.blocked_since = kForever;
}

Time SwitchPorts::send(Packet& packet, std::uint32_t channel) {
  LiveLink& link = fabric_->next_link(packet);
  link.queued -= link.lane.rate().serialization(packet.size);
  unblocked(output(packet));
  const Time overhead = packet.ready - packet.head;
  const Lane::Slot slot = link.lane.serve(packet.ready, now(), packet.tail + overhead, packet.size);
  fabric_->give_back(packet, slot.end);
  if (link.credits) link.credits->take(channel, packet.size);
  packet.channel = channel;
  fabric_->cross(packet, slot);
  return slot.end;
}

}  // namespace kbsim::hw
