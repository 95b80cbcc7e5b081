#pragma once

#include <cstdint>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/packet_run.hpp"

#include "../trains/link_ahead.hpp"
#include "burst_entry.hpp"

namespace kbsim::hw {

struct Reservations;

/// Reserves packets of bursts from the node after the unit on. A packet that arrives there before them
/// revokes their reservations. Packets that have yet to cross the link to that node then arrive as the holder
/// of their burst decides.
class BurstPackets {
 public:
  BurstPackets(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// Reserves for the next packets of an open message, with the times of `run` and `entry`; returns how many.
  [[nodiscard]] std::int64_t enter(Message& message, PacketRun run, const BurstEntry& entry);
  /// Likewise for one packet that was to continue by an event. False: it can't.
  [[nodiscard]] bool enter(Packet& packet, const BurstEntry& entry);
  /// Removes the packets from `ordinal` on: they don't arrive at the node after `hop` links.
  void leave_out(const Message& message, std::uint32_t hop, std::uint32_t ordinal);

 private:
  [[nodiscard]] bool enters(Packet& packet, LiveLink& ingress, const BurstEntry& entry);
  [[nodiscard]] bool is_of_burst(const Reservation& reservation, const Message& message,
                                 std::uint32_t ordinal) const;
  void shorten_last(LiveLink& link, std::uint32_t ordinal);

  Reservations& all_;
  Fabric& fabric_;
};

}  // namespace kbsim::hw
