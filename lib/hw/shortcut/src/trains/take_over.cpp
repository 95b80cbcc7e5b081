#include "take_over.hpp"

#include <utility>

#include "kbsim/hw/fabric/component.hpp"

#include "reservations.hpp"

namespace kbsim::hw {

PoolVector<Packet*> TakeOver::take(std::span<LiveLink* const> links,
                                   const std::function<bool(const Message&)>& which) {
  for (LiveLink* const link : links) all_.revocation.revoke_all(*link);
  all_.claims.notify();
  PoolVector<Packet*> taken;
  fabric_.for_each_packet([&](Packet& packet) {
    if (packet.message == nullptr || !which(*packet.message)) return;
    if (packet.hop > 0)
      all_.revocation.withdraw(packet);
    else
      fabric_.component(packet.message->from).inbox().withdraw(packet);
    taken.push_back(&packet);
  });
  return taken;
}

void TakeOver::put_back(std::span<Packet* const> packets) {
  for (Packet* const packet : packets) {
    if (packet->hop == 0)
      all_.revocation.leave_by_event(*packet);
    else
      all_.routes.arrive_at_end(*packet, all_.ingress_of(*packet));
  }
}

void TakeOver::resume(MessagePtr owned, const OnItsWay& where) {
  Message& message = fabric_.open(std::move(owned));
  Packet& packet = fabric_.next_packet(message, message.size, where.sent, where.source_tail);
  message.source_tail = where.source_tail;
  packet.hop = where.hop;
  packet.head = where.head;
  packet.tail = where.tail;
  if (where.hop == 0) return all_.revocation.leave_by_event(packet);
  LiveLink& ingress = all_.ingress_of(packet);
  packet.port = ingress.port;
  all_.routes.arrive_at_end(packet, ingress);
}

}  // namespace kbsim::hw
