#pragma once

#include <algorithm>
#include <cstdint>

#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/fabric/steady.hpp"

#include "reservation.hpp"
#include "train_packets.hpp"

namespace kbsim::hw {

inline constexpr std::uint32_t kMostOfTrain = 256;  // packets

/// Packets of one message that are alike and follow each other over the same links, at a constant distance on
/// each. They share one reservation per link. There is at least one packet. The first cache line has what
/// each look at a reservation needs.
struct alignas(64) Train {
  Message* message = nullptr;
  std::uint64_t sequence = 0;  // the message's
  Bytes size;                  // of each
  Time gap{};                  // of heads at the first node
  std::uint32_t count = 0;
  std::uint32_t ordinal = 0;       // of the first packet, in the message
  std::uint32_t from = 0;          // hop of the first reservation
  std::uint32_t to = 0;            // hop after the last one
  std::uint32_t reservations = 0;  // number of reservations
  std::uint8_t late = 0;           // as in Packet, at the first node
  bool in_burst = false;           // likewise
  bool open = false;               // it may grow: its reservations are the last of their links
  bool unobserved = false;         // where it ends, only the message's last packet is observed
  std::uint8_t again = 0;          // how often packets of it were revoked and reserved again
  Passage last{};            // the last packet, at the first node (head, tail) and at the end (start, end)
  Time step{};               // of heads at the end
  Train** keeper = nullptr;  // the pointer to it while it may grow
  TrainPackets packets;      // those that exist; others are unobserved where it ends
  Bytes last_size{};         // of the last, if that is shorter
  Time last_sooner{};        // its tail is at the end earlier than another's by this
  Time lag{};                // of a burst: time from crossing the ingress link to arrival
  std::uint32_t batch = 0;   // of a burst: in which packets cross that link

  [[nodiscard]] Packet* known(std::uint32_t i) const { return packets.at(i); }
};

/// Number of packets that the reservation is for.
[[nodiscard]] inline std::uint32_t count(const Reservation& reservation) {
  if (reservation.train == nullptr) return 1;
  return std::min(reservation.limit, reservation.train->count);
}

/// The hop at which the packet arrives by an event, or at its end.
[[nodiscard]] inline std::uint32_t end_hop(const Reservation& reservation, std::uint32_t index) {
  if (reservation.train == nullptr) return reservation.packet->hop;
  const Packet* const known = reservation.train->known(index);
  return known != nullptr ? known->hop : reservation.train->to;
}

/// The hop at which its packets have their next reservation, if they have one.
[[nodiscard]] inline std::uint32_t hop_after(const Reservation& reservation) {
  return reservation.hop + 1U + reservation.shadowed;
}

/// Size of its packet `index`.
[[nodiscard]] inline Bytes size_of(const Reservation& reservation, std::uint32_t index) {
  return index == reservation.shorter ? reservation.train->last_size : reservation.size;
}

/// True if packets of a burst are reserved from the node of this link on.
[[nodiscard]] inline bool is_burst_entry(const Reservation& reservation) {
  return reservation.train != nullptr && reservation.train->in_burst &&
         reservation.hop == reservation.train->from;
}

}  // namespace kbsim::hw
