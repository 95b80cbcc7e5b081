// Messages of very many packets, which leave one after the other and needn't all be there at once.
#include <algorithm>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"

#include "flights.hpp"

namespace kbsim::hw {
namespace {

constexpr std::int64_t kTrain = 1024;  // packets: from so many on
constexpr int kAhead = 64;             // so many at a time are made

}  // namespace

// Where it has a FIFO link to itself as soon as its turn comes, and nobody notes each packet's hops.
bool Fabric::is_train(const Message& message, Time head, Time tail) const {
  if (message.packets_left < kTrain || head != tail || (notes_ & kTraces) != 0 || causes_ != nullptr ||
      message.route.empty())
    return false;
  const LiveLink& first = links_[message.route.front().value()];
  return first.from_switch() == nullptr && first.credits() == nullptr;
}

// The packets behind the first all reserve the link now, as they would if they were there: nobody gets in
// between. Each goes when the one before it has left.
void Fabric::lead(Packet& first, Time overhead, Time end) {
  first.leads = false;
  Message& message = *first.message;
  Lane& lane = live(message.route.front()).lane;
  const Time ready = first.head + overhead;
  const std::int64_t whole = message.size / first.size - 1;
  const Bytes rest = message.size % first.size;
  (void)lane.reserve_run(ready, ready, Time{0}, whole, first.size, lane.rate().serialization(first.size));
  if (rest > 0_B) (void)lane.reserve(ready, ready, rest);
  (void)sim_.serve("train of " + graph_.node(message.from).name, follow(&message, first, end));
}

// Packets are made before they leave, when the one before them does.
Task<> Fabric::follow(Message* message, Packet behind, Time next) {
  LiveLink& link = live(message->route.front());
  const Bytes whole = behind.size;
  const Time ser = serialization(whole, link.lane.rate());
  Time last = sim_.now();  // when that one begins to leave
  for (Bytes left = message->size - whole; left > 0_B;) {
    co_await sim_.until(last);
    for (int i = 0; i < kAhead && left > 0_B; ++i) {
      Packet& packet = allocate();
      packet = behind;
      packet.size = std::min(left, whole);
      packet.ordinal = message->injected++;
      under_way_ -= packet.injected;
      left -= packet.size;
      const Lane::Slot slot{next, next + serialization(packet.size, link.lane.rate())};
      last = next;
      next = slot.end;
      const Time source = packet.injected;
      cross(packet, link, slot);
      const PacketRun more{.size = whole,
                           .head = next + link.wire,
                           .tail = next + ser + link.wire,
                           .gap = ser,
                           .count = left / whole};
      if (!books_ahead_ || more.count == 0) continue;
      const std::int64_t told = flights_->follow(link, *message, more);
      message->injected += static_cast<std::uint32_t>(told);
      under_way_ -= told * source;
      left -= told * whole;
      next += told * ser;
      if (told > 0) last = next - ser;
    }
  }
}

}  // namespace kbsim::hw
