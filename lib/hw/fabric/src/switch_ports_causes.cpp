// Why a switch sends a packet when it does.
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_switched.hpp"
#include "kbsim/hw/fabric/switch_ports.hpp"

namespace kbsim::hw {

Time SwitchPorts::pipeline() const { return fabric_->component(node_).steady_overhead(); }

void SwitchPorts::wake_next_cycle(Time at) {
  if (causes() != nullptr) [[unlikely]]
    causes()->because(causes()->make(at, causes()->current(), why(Reason::cycle, node_)));
  wake(at);
}

Cause SwitchPorts::why_came(const Packet& packet, Time lookahead) const {
  const Cause& ready = fabric_->causes()->ready(packet, node_, pipeline());
  if (lookahead == Time{0}) return ready;
  return causes()->make_back(packet.ready - lookahead, ready, why(Reason::lookahead, node_));
}

Cause SwitchPorts::why_passed(const Cause& granted, Time at) const {
  return at == granted.at() ? granted : causes()->make(at, granted, why(Reason::lookahead, node_));
}

// Empty if the packet went when its head had passed the pipeline, or later. Else it caught up on time that it
// had lost.
Cause SwitchPorts::why_early(const Packet& packet) const {
  const InputQueues* const queues = input_queues(fabric_->component(node_));
  if (packet.ready <= now() || queues == nullptr || !queues->worms) return {};
  const Time lookahead = queues->worms->lookahead;
  const Time lost = lag(packet);
  return lost >= lookahead ? why_came(packet, lookahead) : when_idle(packet, lost);
}

Cause SwitchPorts::why_ready(const Packet& packet) const {
  Cause early = why_early(packet);
  return early ? early : fabric_->causes()->ready(packet, node_, pipeline());
}

// When the packet would have passed the pipeline on an idle network: less than a lookahead before it really
// has.
Cause SwitchPorts::when_idle(const Packet& packet, Time lost) const {
  const Message& message = *packet.message;
  const LiveLink* slowest = &fabric_->live(message.route.front());
  for (std::uint32_t i = 0; i < packet.hop; ++i) {
    const LiveLink& link = fabric_->live(message.route[i]);
    if (link.lane.rate().gbs() < slowest->lane.rate().gbs()) slowest = &link;
  }
  const Bytes before = static_cast<std::int64_t>(packet.ordinal) * fabric_->packet_size(message.size);
  const Time sent = message.sent + serialization(before, slowest->lane.rate());
  const LinkId of_slowest{static_cast<std::uint32_t>(slowest - fabric_->links_.data())};
  Causes& causes = *this->causes();
  // Its tail was less late than its head, or packets carry frames on the way.
  const auto caught_up = [&] {
    const Cause& ready = fabric_->causes()->ready(packet, node_, pipeline());
    return causes.make_back(packet.ready - lost, ready, why(Reason::lookahead, node_, Bytes{lost.count()}));
  };
  if (slowest->lane.is_framed()) return caught_up();
  Cause way = packet.injected >= sent ? fabric_->causes()->injected(packet)
                                      : causes.make(sent, fabric_->causes()->first(message),
                                                    why(Reason::serialization, of_slowest, before));
  const auto pass = [&](Time length, const Why& why) {
    if (length > Time{0}) way = causes.make(way.at() + length, way, why);
  };
  for (std::uint32_t i = 0; i < packet.hop; ++i) {
    const LinkId id = message.route[i];
    const LiveLink& link = fabric_->live(id);
    pass(fabric_->component(link.from).steady_overhead(), why(Reason::overhead, link.from));
    pass(link.wire, why(Reason::wire, id));
  }
  pass(pipeline(), why(Reason::overhead, node_));
  return way.at() == packet.ready - lost ? way : caught_up();
}

Cause SwitchPorts::credit_for(const Packet& packet, const LiveLink& link, std::uint32_t channel) const {
  const LinkId id = packet.message->route[packet.hop];
  if (link.slots() != nullptr)
    return fabric_->causes()->needed(id, channel, link.slots()->room(channel),
                                     fabric_->switches().slots_needed(packet), now());
  if (!link.credits()) return {};
  return fabric_->causes()->needed(id, channel, link.credits()->room(channel),
                                   link.credits()->taken_by(packet.size), now());
}

void SwitchPorts::explain(Packet& packet, const LiveLink& link, const Lane::Slot& slot, Time overhead,
                          Cause credit, std::span<const SwitchWait> waits) const {
  std::vector<SwitchWait> all{waits.begin(), waits.end()};
  if (const PortProcessor* const port = link.processor())
    all.push_back({.last = &port->why_free(), .reason = Reason::port_busy});
  fabric_->causes()->send(packet, {.link = packet.message->route[packet.hop],
                                   .node = node_,
                                   .overhead = overhead,
                                   .pipeline = pipeline(),
                                   .slot = slot,
                                   .service = link.lane.service(packet.size),
                                   .early = why_early(packet),
                                   .waits = all,
                                   .credit = std::move(credit)});
}

}  // namespace kbsim::hw
