#include "kbsim/hw/fabric/fabric_observers.hpp"

#include <algorithm>

namespace kbsim::hw {

void FabricObservers::note_spans(ISpans* spans) {
  spans_ = spans;
  notes_ = static_cast<std::uint8_t>((notes_ & kTraces) | (spans == nullptr ? 0 : kSpans));
}

// The link is busy for the packet's service time, which a late tail doesn't make longer.
void FabricObservers::note_hop(const Packet& packet, LinkId id, const LiveLink& link, Time overhead,
                               const Lane::Slot& slot) {
  Message& message = *packet.message;
  if ((packet.noted & kSpans) != 0)
    spans_->add_packet({.link = id,
                        .what = message.body.traits().name,
                        .ready = std::min(slot.start, packet.head + overhead),
                        .start = slot.start,
                        .end = slot.start + link.lane.service(packet.size),
                        .bytes = packet.size,
                        .id = (std::uint64_t{message.from.value()} << 32) | message.sequence});
  if ((packet.noted & kTraces) != 0)
    message.hops.push_back({.link = id, .arrive = packet.head, .start = slot.start, .end = slot.end});
}

void FabricObservers::note_arrival(const Message& message, const Split& parts, Time arrival) {
  if (!traces_messages()) return;
  traces_.push_back({.from = message.from,
                     .to = message.to,
                     .size = message.size,
                     .sent = message.sent,
                     .arrived = arrival,
                     .split = parts,
                     .hops = message.hops});
}

}  // namespace kbsim::hw
