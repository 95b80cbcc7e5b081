// Packets that are taken out of the fabric by a unit that knows ahead how they go on.
#include <limits>

#include "kbsim/hw/fabric/component.hpp"

#include "flights.hpp"

namespace kbsim::hw {

PoolVector<Packet*> Flights::take(Fabric& fabric, std::span<LiveLink* const> links,
                                  const std::function<bool(const Message&)>& which) {
  Flights& flights = *fabric.flights_;
  for (LiveLink* const link : links) flights.take_back_all(*link);
  flights.tell_holders();
  PoolVector<Packet*> taken;
  fabric.packets_.for_each([&](Packet& packet) {
    if (packet.message == nullptr || !which(*packet.message)) return;
    if (packet.hop > 0)
      flights.withdraw(packet);
    else
      fabric.component(packet.message->from).inbox().withdraw(packet);
    taken.push_back(&packet);
  });
  return taken;
}

void Flights::take_back_all(LiveLink& link) {
  Ahead& there = ahead(link);
  unfold(link);
  serve_before(link, there, fabric_.sim().now(), std::numeric_limits<std::uint32_t>::max());
  while (!there.bookings.empty()) take_back_last(link, there);
}

void Flights::put_back(Fabric& fabric, std::span<Packet* const> packets) {
  for (Packet* const packet : packets) {
    if (packet->hop == 0) {
      fabric.flights_->leave_by_event(*packet);
      continue;
    }
    LiveLink& came = fabric.live(packet->message->route[packet->hop - 1]);
    if (came.arrivals != nullptr)
      came.arrivals->push(came.port - 1, *packet);
    else
      fabric.come_to(*packet, came);
  }
}

void Flights::forget(Fabric& fabric, std::span<Packet* const> packets) {
  for (Packet* const packet : packets) {
    const MessagePtr message{packet->message, Recycle{&fabric}};
    fabric.under_way_ += packet->injected;
    fabric.free(*packet);
    --fabric.opened_;
  }
}

}  // namespace kbsim::hw
