// Packets that are taken out of the fabric by a unit that knows ahead how they go on.
#include <limits>

#include "kbsim/hw/fabric/component.hpp"

#include "reservations.hpp"

namespace kbsim::hw {

PoolVector<Packet*> Reservations::take(Fabric& fabric, std::span<LiveLink* const> links,
                                       const std::function<bool(const Message&)>& which) {
  Reservations& reservations = *fabric.reservations_;
  for (LiveLink* const link : links) reservations.revoke_all(*link);
  reservations.notify_claims();
  PoolVector<Packet*> taken;
  fabric.packets_.for_each([&](Packet& packet) {
    if (packet.message == nullptr || !which(*packet.message)) return;
    if (packet.hop > 0)
      reservations.withdraw(packet);
    else
      fabric.component(packet.message->from).inbox().withdraw(packet);
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

void Reservations::put_back(Fabric& fabric, std::span<Packet* const> packets) {
  for (Packet* const packet : packets) {
    if (packet->hop == 0) {
      fabric.reservations_->leave_by_event(*packet);
      continue;
    }
    LiveLink& came = fabric.live(packet->message->route[packet->hop - 1]);
    if (came.arrivals != nullptr)
      came.arrivals->push(came.port - 1, *packet);
    else
      fabric.come_to(*packet, came);
  }
}

void Reservations::forget(Fabric& fabric, std::span<Packet* const> packets) {
  for (Packet* const packet : packets) {
    const MessagePtr message{packet->message, Recycle{&fabric}};
    fabric.under_way_ += packet->injected;
    fabric.free(*packet);
    --fabric.opened_;
  }
}

}  // namespace kbsim::hw
