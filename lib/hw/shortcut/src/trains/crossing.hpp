#pragma once

#include <algorithm>
#include <cstdint>

#include "kbsim/hw/fabric/live_link.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/fabric/steady.hpp"

#include "reservation.hpp"

namespace kbsim::hw {

/// When the packet arrives at a node of that overhead and leaves by a link that is free from `free` on.
[[nodiscard]] inline Passage passage(const Packet& packet, Time overhead, Time free, Time service) {
  const Time start = std::max(packet.head + overhead, free);
  return {.head = packet.head,
          .tail = packet.tail,
          .start = start,
          .end = std::max(start + service, packet.tail + overhead)};
}

/// Moves the packet to the end of the link.
inline void cross(Packet& packet, const LiveLink& link, const Passage& passage) {
  packet.head = passage.start + link.wire;
  packet.tail = passage.end + link.wire;
  packet.port = link.port;
  packet.late = 0;
  packet.in_burst = false;
  ++packet.hop;
}

/// The link's reservation for the packet: the first of a train, or alone.
[[nodiscard]] inline Reservation reservation_of(Packet& packet, const Passage& first, Time service,
                                                Train* train) {
  return {.packet = &packet,
          .train = train,
          .first = first,
          .service = service,
          .size = packet.size,
          .port = packet.port,
          .late = packet.late,
          .hop = static_cast<std::uint16_t>(packet.hop)};
}

/// Moves the packet back to where it is reserved.
inline void move_back(const Reservation& reservation, std::uint32_t index, Packet& packet) {
  packet.hop = reservation.hop;
  packet.head = reservation.head(index);
  packet.tail = reservation.tail(index);
  packet.port = reservation.port;
  packet.late = reservation.late;
}

}  // namespace kbsim::hw
