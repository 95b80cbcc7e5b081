// Messages of very many packets, which leave one after another and need not all exist at once.
#include <algorithm>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/fabric/i_shortcut.hpp"

namespace kbsim::hw {
namespace {

constexpr int kAhead = 64;  // packets made at a time

}  // namespace

// All packets after the first reserve the link now, as if they were there: no other packet gets in between.
// Each goes when the one before it has left.
void Fabric::lead(Packet& first, Time overhead, Time end) {
  first.leads = false;
  Message& message = *first.message;
  Lane& lane = live(message.route.front()).lane;
  const Time ready = first.head + overhead;
  const std::int64_t whole = message.size / first.size - 1;
  const Bytes rest = message.size % first.size;
  (void)lane.reserve_run(ready, ready, Time{0}, whole, first.size, lane.service(first.size));
  if (rest > 0_B) (void)lane.reserve(ready, ready, rest);
  (void)sim_.serve("train of " + graph_.node(message.from).name, follow(&message, first, end));
}

// The next packets are made when the last one made begins to leave.
Task<> Fabric::follow(Message* message, Packet behind, Time next) {
  LiveLink& link = live(message->route.front());
  const Bytes whole = behind.size;
  const Time ser = link.lane.service(whole);
  Time last = sim_.now();  // when the last packet made begins to leave
  for (Bytes left = message->size - whole; left > 0_B;) {
    co_await sim_.until(last);
    for (int i = 0; i < kAhead && left > 0_B; ++i) {
      Packet& packet = allocate();
      packet = behind;
      packet.size = std::min(left, whole);
      packet.ordinal = message->injected++;
      counts_.under_way -= packet.injected;
      left -= packet.size;
      const Lane::Slot slot{next, next + link.lane.service(packet.size)};
      last = next;
      next = slot.end;
      const Time source = packet.injected;
      cross(packet, link, slot);
      const PacketRun more{.size = whole,
                           .head = next + link.wire,
                           .tail = next + ser + link.wire,
                           .gap = ser,
                           .count = left / whole};
      if (shortcut() == nullptr || more.count == 0) continue;
      const std::int64_t reserved = shortcut()->follow(*message, &link, more);
      message->injected += static_cast<std::uint32_t>(reserved);
      counts_.under_way -= reserved * source;
      left -= reserved * whole;
      next += reserved * ser;
      if (reserved > 0) last = next - ser;
    }
  }
}

}  // namespace kbsim::hw
