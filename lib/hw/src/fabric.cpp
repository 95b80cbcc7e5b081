#include "kbsim/hw/fabric.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/component.hpp"

namespace kbsim::hw {
namespace {

bool is_memory(topology::NodeKind kind) {
  using enum topology::NodeKind;
  return kind == hbm_ctrl || kind == sram || kind == pe_tcm;
}

}  // namespace

void Recycle::operator()(Message* message) const {
  message->body = std::monostate{};
  fabric->free_messages_.push_back(message);
}

Fabric::Fabric(Simulation& sim, const topology::Graph& graph)
    : sim_{sim},
      graph_{graph},
      routes_{graph},
      components_(graph.nodes().size()),
      sequences_(graph.nodes().size()) {
  std::vector<std::uint32_t> ports(graph.nodes().size());
  links_.reserve(graph.links().size());
  for (const topology::Link& link : graph.links()) {
    links_.push_back(
        {.lane = Lane{link.bandwidth}, .wire = link.wire, .to = link.to, .port = ++ports[link.to.value()]});
  }
}

Fabric::~Fabric() = default;

Bytes Fabric::packet_size(Bytes size) const {
  const Bytes largest = graph_.spec().system.packet_bytes;
  return largest == 0_B ? size : std::min(size, largest);
}

MessagePtr Fabric::make(NodeId from, NodeId to, Bytes size, VirtualChannel channel, MessageBody body) {
  ensure(size > 0_B, "a message without bytes");
  if (free_messages_.empty()) free_messages_.push_back(&messages_.emplace_back());
  Message* message = free_messages_.back();
  free_messages_.pop_back();
  *message = Message{.from = from, .to = to, .size = size, .channel = channel, .body = std::move(body)};
  message->cut_through =
      is_memory(graph_.node(to).kind) && !std::holds_alternative<ReadRequest>(message->body);
  return {message, Recycle{this}};
}

Message& Fabric::open(MessagePtr owned) {
  Message& message = *owned.release();
  message.route = &routes_(message.from, message.to);
  message.sequence = ++sequences_[message.from.value()];
  message.packets_left = ceil_div(message.size.count(), packet_size(message.size).count());
  return message;
}

void Fabric::inject(Message& message, Bytes size, Time head, Time tail) {
  if (message.injected == 0) message.sent = head;
  message.source_tail = tail;
  Packet& packet = allocate();
  packet =
      Packet{.message = &message, .size = size, .head = head, .tail = tail, .ordinal = message.injected++};
  components_[message.from.value()]->inbox().post(head, &packet);
}

void Fabric::send(MessagePtr owned) {
  Message& message = open(std::move(owned));
  const Time now = sim_.now();
  const Bytes largest = packet_size(message.size);
  Bytes left = message.size;
  for (std::int64_t i = message.packets_left; i > 0; --i) {
    const Bytes size = std::min(left, largest);
    left -= size;
    inject(message, size, now, now);
  }
}

void Fabric::forward(Packet& packet, Time overhead) {
  LiveLink& link = links_[(*packet.message->route)[packet.hop].value()];
  const Lane::Slot slot = link.lane.reserve(packet.head + overhead, packet.tail + overhead, packet.size);
  packet.head = slot.start + link.wire;
  packet.tail = slot.end + link.wire;
  packet.port = link.port;
  ++packet.hop;
  const bool at_head = !at_end(packet) || packet.message->cut_through;
  component(link.to).inbox().post(at_head ? packet.head : packet.tail, &packet);
}

MessagePtr Fabric::arrived(Packet& packet) {
  Message* message = packet.message;
  const Time tail = packet.tail;
  free_packets_.push_back(&packet);
  if (--message->packets_left > 0) return {nullptr, Recycle{this}};
  account(*message, tail);
  return {message, Recycle{this}};
}

Packet& Fabric::allocate() {
  if (free_packets_.empty()) return packets_.emplace_back();
  Packet* packet = free_packets_.back();
  free_packets_.pop_back();
  return *packet;
}

void Fabric::account(const Message& message, Time arrival) {
  Time overhead{};
  Time wire{};
  Time drain = message.source_tail - message.sent;
  for (const LinkId id : *message.route) {
    const topology::Link& link = graph_.link(id);
    overhead += component(link.from).overhead();
    wire += link.wire;
    drain = std::max(drain, serialization(message.size, link.bandwidth));
  }
  const Time total = arrival - message.sent;
  ++attribution_.messages;
  attribution_.total += total;
  attribution_.overhead += overhead;
  attribution_.wire += wire;
  attribution_.drain += drain;
  attribution_.queueing += total - overhead - wire - drain;
}

}  // namespace kbsim::hw
