// How a unit that knows the further times of some packets takes them out of the fabric, and puts them back.
#include <limits>
#include <utility>

#include "kbsim/hw/fabric/component.hpp"

#include "reservations.hpp"

namespace kbsim::hw {

PoolVector<Packet*> Reservations::take(std::span<LiveLink* const> links,
                                       const std::function<bool(const Message&)>& which) {
  for (LiveLink* const link : links) revoke_all(*link);
  notify_claims();
  PoolVector<Packet*> taken;
  fabric_.for_each_packet([&](Packet& packet) {
    if (packet.message == nullptr || !which(*packet.message)) return;
    if (packet.hop > 0)
      withdraw(packet);
    else
      fabric_.component(packet.message->from).inbox().withdraw(packet);
    taken.push_back(&packet);
  });
  return taken;
}

void Reservations::revoke_all(LiveLink& link) {
  Ahead& there = ahead(link);
  unfold(link);
  serve_before(link, there, fabric_.sim().now(), std::numeric_limits<std::uint32_t>::max());
  while (!there.reservations.empty()) revoke_last(link, there);
}

void Reservations::put_back(std::span<Packet* const> packets) {
  for (Packet* const packet : packets) {
    if (packet->hop == 0)
      leave_by_event(*packet);
    else
      arrive_at_end(*packet, ingress_of(*packet));
  }
}

void Reservations::resume(MessagePtr owned, const OnItsWay& where) {
  Message& message = fabric_.open(std::move(owned));
  Packet& packet = fabric_.next_packet(message, message.size, where.sent, where.source_tail);
  message.source_tail = where.source_tail;
  packet.hop = where.hop;
  packet.head = where.head;
  packet.tail = where.tail;
  if (where.hop == 0) return leave_by_event(packet);
  LiveLink& ingress = ingress_of(packet);
  packet.port = ingress.port;
  arrive_at_end(packet, ingress);
}

}  // namespace kbsim::hw
