#include "unobserved.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "kbsim/hw/fabric/component.hpp"

#include "../neighbours.hpp"
#include "reservations.hpp"

namespace kbsim::hw {

void Unobserved::find_end(LiveLink& link) {
  using Packets = ServiceContract::Packets;
  Component& to = fabric_.component(link.to);
  if (link.credits() != nullptr || link.arrivals != nullptr) return;
  const ServiceContract contract = to.contract();
  link.ahead->receiver = contract.receiver;
  const auto serves = [&](NodeId node) {
    return fabric_.inputs(node) == 1 && fabric_.component(node).contract().packets == Packets::served;
  };
  if (contract.packets == Packets::counted) link.ahead->end = LinkAhead::End::counted;
  if (serves(link.to)) link.ahead->end = LinkAhead::End::served;
  if (to.node().kind != topology::NodeKind::pe_dma || !arrives_later(link)) return;
  for (const LinkId out : fabric_.graph().out(link.to)) {
    LiveLink& next = fabric_.live(out);
    if (next.to == link.from || next.from_switch() != nullptr || next.credits() != nullptr ||
        !serves(next.to))
      continue;
    link.ahead->end = LinkAhead::End::passed;
    link.ahead->downstream = &next;
    next.merges = 1;
    all_.ahead(next).merged.push_back(&link);
  }
}

// True if packets arrive later than they leave. Packets that a switch sends have passed the pipeline of the
// node before.
bool Unobserved::arrives_later(const LiveLink& link) const {
  return link.from_switch() == nullptr ? fabric_.takes_time(link) : link.wire > Time{0};
}

bool Unobserved::is_unobserved(const Packet& packet, const LinkAhead& ingress) const {
  const Message& message = *packet.message;
  if (ingress.end == LinkAhead::End::observed || packet.ordinal + 1 >= message.packets) return false;
  if (ingress.end == LinkAhead::End::counted) return fabric_.at_end(packet);
  if (!message.cut_through) return false;
  if (ingress.end == LinkAhead::End::served) return fabric_.at_end(packet);
  const std::span<const LinkId> route = message.route;
  return packet.hop + 1 == route.size() && &fabric_.live(route[packet.hop]) == ingress.downstream;
}

bool Unobserved::arrives_unobserved(Packet& packet, LiveLink& link) {
  LinkAhead& there = all_.ahead(link);
  if (!is_unobserved(packet, there)) return false;
  there.add_unobserved({.message = packet.message,
                        .size = packet.size,
                        .head = packet.head,
                        .tail = packet.tail,
                        .ordinal = packet.ordinal});
  fabric_.free(packet);
  return true;
}

bool Unobserved::is_accepted_at_once(Packet& packet, const LiveLink& link) {
  ILateReceiver* const receiver = link.ahead->receiver;
  if (receiver == nullptr || !fabric_.at_end(packet)) return false;
  const Time arrival = packet.message->cut_through ? packet.head : packet.tail;
  return arrival == fabric_.sim().now() && receiver->accept_at_once(packet);
}

// A packet that starts here may follow others that arrived by any link.
void Unobserved::accept_before(const Packet& packet) {
  if (packet.hop == 0) return catch_up(packet.message->to);
  LiveLink& ingress = fabric_.live(packet.message->route[packet.hop - 1]);
  if (ingress.ahead != nullptr) catch_up(ingress);
}

void Unobserved::catch_up(LiveLink& link) {
  LinkAhead& there = *link.ahead;
  if (there.end != LinkAhead::End::counted && there.end != LinkAhead::End::served) return;
  const Time now = fabric_.sim().now();
  if (link.reserved > 0) all_.timetables.serve_before(link, there, now, 0);
  while (!there.unobserved.empty()) {
    UnobservedPackets& first = there.unobserved.front();
    const std::uint32_t arrived = count_before(first.head, first.gap, first.count, now, false);
    if (arrived == 0) return;
    accept(link, first, arrived);
    if (first.count > 0) return;
    there.unobserved.pop_front();
  }
}

void Unobserved::catch_up(NodeId node) {
  if (fabric_.component(node).contract().packets == ServiceContract::Packets::observed) return;
  for (LiveLink* const link : links_to(fabric_, node)) {
    if (link->merges != 0) merge(*link, fabric_.sim().now(), 0);
    if (link->ahead != nullptr) catch_up(*link);
  }
}

// Accepts the first `count` packets.
void Unobserved::accept(LiveLink& link, UnobservedPackets& packets, std::uint32_t count) {
  UnobservedPackets these = packets;
  these.count = count;
  these.message->packets_left -= count;
  fabric_.message_counts().under_way +=
      count * these.head + std::int64_t{count} * (count - 1) / 2 * these.gap;
  if (link.ahead->receiver != nullptr) link.ahead->receiver->accept_unobserved(these);
  packets.drop(count);
}

// A packet that was sent at this time, or starts at the node, is served after all that were on their way.
void Unobserved::merge(LiveLink& link, const Packet& packet) {
  const bool late = packet.late != 0 || packet.port == 0;
  merge(link, fabric_.sim().now(), late ? std::numeric_limits<std::uint32_t>::max() : packet.port);
}

void Unobserved::merge(LiveLink& link, Time at, std::uint32_t port) {
  LinkAhead& there = all_.ahead(link);
  for (LiveLink* const in : there.merged) {
    if (in->reserved > 0) all_.timetables.serve_before(*in, all_.ahead(*in), fabric_.sim().now(), 0);
  }
  for (;;) {
    const auto [in, other] = first_merged(there);
    if (in == nullptr) return;
    UnobservedPackets& first = in->ahead->unobserved.front();
    std::uint32_t count = count_before(first.head, first.gap, first.count, at, in->port < port);
    if (other != nullptr) {
      const Time arrival = other->ahead->unobserved.front().head;
      count = count_before(first.head, first.gap, count, arrival, in->port < other->port);
    }
    if (count == 0) return;
    pass(link, there, first, count);
    if (first.count == 0) in->ahead->unobserved.pop_front();
  }
}

// The link by which the next packet arrives, and the link by which the next of all others does.
[[gnu::always_inline]] inline std::pair<LiveLink*, LiveLink*> Unobserved::first_merged(
    const LinkAhead& there) {
  std::pair<LiveLink*, LiveLink*> first{};
  const auto is_sooner = [](const LiveLink& in, const LiveLink* than) {
    if (than == nullptr) return true;
    const Time arrival = in.ahead->unobserved.front().head;
    const Time others = than->ahead->unobserved.front().head;
    return arrival < others || (arrival == others && in.port < than->port);
  };
  for (LiveLink* const in : there.merged) {
    if (in->ahead->unobserved.empty()) continue;
    if (is_sooner(*in, first.first))
      first = {in, first.first};
    else if (is_sooner(*in, first.second))
      first.second = in;
  }
  return first;
}

// Passes on the first `count` packets, or only one if the others don't keep their distance.
void Unobserved::pass(LiveLink& link, LinkAhead& there, UnobservedPackets& packets, std::uint32_t count) {
  const Time service = link.lane.service(packets.size);
  const auto after = [&](Time gap, Time free) {
    const Time head = packets.head + gap;
    const Time tail = packets.tail + gap;
    const Time start = std::max(head + there.overhead, free);
    return Passage{
        .head = head, .tail = tail, .start = start, .end = std::max(start + service, tail + there.overhead)};
  };
  const Passage one = after(Time{0}, link.lane.free());
  Time step{};
  if (count > 1) {
    const Passage two = after(packets.gap, one.end);
    step = two.start - one.start;
    if (!steady(one, two, there.overhead, service)) count = 1;
  }
  (void)link.lane.reserve_run(one.head + there.overhead, one.tail + there.overhead, packets.gap, count,
                              packets.size, service);
  there.add_unobserved({.message = packets.message,
                        .size = packets.size,
                        .head = one.start + link.wire,
                        .tail = one.end + link.wire,
                        .gap = step,
                        .ordinal = packets.ordinal,
                        .count = count});
  packets.drop(count);
}

}  // namespace kbsim::hw
