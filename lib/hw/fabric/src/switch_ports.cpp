#include "kbsim/hw/fabric/switch_ports.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_switched.hpp"

#include "shared_places.hpp"

namespace kbsim::hw {

SwitchPorts::SwitchPorts(Fabric& fabric, NodeId node, Inputs inputs)
    : fabric_{&fabric},
      node_{node},
      by_{inputs},
      inputs_{inputs == Inputs::one       ? 1
              : inputs == Inputs::by_link ? fabric.inputs(node) + 1
                                          : 2 * (fabric.inputs(node) + 1)},
      outputs_{static_cast<std::uint32_t>(fabric.graph().out(node).size())} {
  const InputQueues* queues = input_queues(fabric.component(node));
  const topology::Graph& graph = fabric.graph();
  finite_ = queues != nullptr;
  channels_ = static_cast<std::uint32_t>(finite_ ? queues->vcs : graph.classes() * graph.phases());
}

std::uint32_t SwitchPorts::channel(const Packet& packet) const {
  return finite_ && packet.port > 0 ? packet.channel : fabric_->switches().channels(packet).first;
}

std::optional<std::uint32_t> SwitchPorts::room_ahead(const Packet& packet) {
  LiveLink& link = fabric_->next_link(packet);
  if (link.slots() != nullptr) return fabric_->switches().slot_ahead(packet);
  if (!link.credits()) return 0;
  if (packet.size > link.credits()->capacity()) {
    const topology::Node& node = fabric_->graph().node(link.to);
    throw ConfigError{node.model->place_of({"buffer_bytes"}), node.name,
                      fmt::format("buffer_bytes: {} can't hold a packet of {}",
                                  to_string(link.credits()->capacity()), to_string(packet.size))};
  }
  const auto channel = link.credits()->choose(fabric_->switches().channels(packet), packet.size, now());
  if (!channel && link.lane.free() <= now())
    link.rare->blocked_since = std::min(link.rare->blocked_since, now());
  return channel;
}

std::uint32_t SwitchPorts::channels_ahead(std::uint32_t output) const {
  const LiveLink& link = fabric_->live(fabric_->graph().out(node_)[output]);
  return link.credits() ? static_cast<std::uint32_t>(link.credits()->queues().vcs) : channels_;
}

bool SwitchPorts::takes_worms(std::uint32_t output) const {
  const LiveLink& link = fabric_->live(fabric_->graph().out(node_)[output]);
  return link.credits() && link.credits()->queues().worms;
}

bool SwitchPorts::has_room(const Packet& packet, std::uint32_t channel) {
  LiveLink& link = fabric_->next_link(packet);
  return !link.credits() || link.credits()->has_room(channel, packet.size, now());
}

std::uint32_t SwitchPorts::worm(const Packet& packet) const {
  return packet.ordinal / static_cast<std::uint32_t>(fabric_->worm_flits_);
}

std::uint32_t SwitchPorts::worm_flits(const Packet& packet) const {
  const Bytes size = packet.message->size;
  const std::int64_t flits = ceil_div(size.count(), fabric_->packet_size(size).count());
  const std::int64_t before = std::int64_t{worm(packet)} * fabric_->worm_flits_;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(fabric_->worm_flits_, flits - before));
}

Time SwitchPorts::lag(const Packet& packet) const {
  const Message& message = *packet.message;
  const Bytes whole = fabric_->packet_size(message.size);
  Bandwidth slowest = fabric_->live(message.route.front()).lane.rate();
  const Lane* framed = nullptr;  // the link with frames on which packets take longest
  Time way{};
  for (std::uint32_t i = 0; i < packet.hop; ++i) {
    const LiveLink& link = fabric_->live(message.route[i]);
    slowest = std::min(slowest, link.lane.rate());
    const bool slower = framed == nullptr || framed->service(whole) < link.lane.service(whole);
    if (link.lane.is_framed() && slower) framed = &link.lane;
    way += fabric_->component(link.from).steady_overhead() + link.wire;
  }
  const auto ordinal = static_cast<std::int64_t>(packet.ordinal);
  const Bytes before = ordinal * whole;
  const bool last = packet.ordinal + 1 == message.injected;
  Time head = std::max(packet.injected, message.sent + serialization(before, slowest));
  Time tail = std::max({head + serialization(packet.size, slowest), last ? message.source_tail : head,
                        message.sent + serialization(before + packet.size, slowest)});
  if (framed != nullptr) {
    head = std::max(head, message.sent + ordinal * framed->service(whole));
    tail = std::max(tail, head + framed->service(packet.size));
  }
  return std::max(Time{0}, std::min(packet.head - head, packet.tail - tail) - way);
}

void SwitchPorts::blocked(std::uint32_t output) {
  LiveLink& link = fabric_->live(fabric_->graph().out(node_)[output]);
  link.rare->blocked_since = std::min(link.rare->blocked_since, now());
}

void SwitchPorts::unblocked(std::uint32_t output) {
  LiveLink& link = fabric_->live(fabric_->graph().out(node_)[output]);
  if (link.rare->blocked_since != kForever) link.rare->blocked += now() - link.rare->blocked_since;
  link.rare->blocked_since = kForever;
}

// The port sends the packet now; its start is explained.
void SwitchPorts::take_port(const Packet& packet, LinkId link, PortProcessor& port) const {
  const Time done = port.after_sending(now());
  Cause why_done;
  if (causes() != nullptr) [[unlikely]]
    why_done = causes()->make(done, fabric_->causes()->started(packet), why(Reason::port_time, link));
  port.busy_until(done, std::move(why_done));
}

Time SwitchPorts::send(Packet& packet, std::uint32_t channel, std::span<const SwitchWait> waits) {
  LiveLink& link = fabric_->next_link(packet);
  link.rare->queued -= link.lane.service(packet.size);
  unblocked(output(packet));
  const Time overhead = std::min(packet.ready, now()) - packet.head;
  const Lane::Slot slot = link.lane.serve(packet.ready, now(), packet.tail + overhead, packet.size);
  if (causes() != nullptr) [[unlikely]]
    explain(packet, link, slot, overhead, credit_for(packet, link, channel), waits);
  if (PortProcessor* const port = link.processor())
    take_port(packet, packet.message->route[packet.hop], *port);
  fabric_->switches().give_back(packet, slot.end);
  if (Credits* const slots = link.slots()) slots->take(channel, Bytes{1});
  if (link.credits()) {
    link.credits()->take(channel, packet.size);
    if (fabric_->spans() != nullptr)
      fabric_->switches().note_room(packet.message->route[packet.hop], now(),
                                    link.credits()->taken_by(packet.size));
  }
  packet.channel = channel;
  fabric_->cross(packet, link, slot);
  return slot.end;
}

}  // namespace kbsim::hw
