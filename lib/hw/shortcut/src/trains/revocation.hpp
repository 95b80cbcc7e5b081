#pragma once

#include <cstdint>

#include "kbsim/hw/fabric/fabric.hpp"

#include "link_ahead.hpp"

namespace kbsim::hw {

struct Reservations;

/// Revokes the reservations of packets that another packet precedes, with all that follows from them
/// downstream. Revoked packets arrive by events, or are reserved again.
class Revocation {
 public:
  Revocation(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// The packet is at the node of the link now and crosses next: later reservations are revoked. True if they
  /// can be made again, by ReserveAgain, as soon as the packet has crossed the link.
  [[nodiscard]] bool revoke_after(LiveLink& link, const Packet& packet);
  /// Revokes the link's last reservation.
  void revoke_last(LiveLink& link, LinkAhead& there);
  /// Revokes all that are yet to arrive at the link.
  void revoke_all(LiveLink& link);
  /// The packets of a revoked reservation arrive by events.
  void replay(const Reservation& taken);

  /// Ends the reservations of the same packets at the later hop `hop`, before packet `from`. Returns the next
  /// hop at which there may be one.
  [[nodiscard]] std::uint32_t shorten(LinkId at, const Reservation& earlier, std::uint32_t hop,
                                      std::uint32_t from);
  /// Frees the packet: it arrives nowhere.
  void drop(const Reservation& reservation, std::uint32_t index);
  /// Withdraws the packet from where it arrives next.
  void withdraw(Packet& packet);
  /// The packet leaves its source by an event.
  void leave_by_event(Packet& packet);

 private:
  [[nodiscard]] static bool passes_before_next(const Packet& packet, const LiveLink& link, LinkAhead& here);
  void replay_packet(const Reservation& reservation, std::uint32_t index);
  [[nodiscard]] bool has_crossed(const Reservation& reservation, std::uint32_t index) const;
  void arrive_by_event(const Reservation& reservation, std::uint32_t index);
  [[nodiscard]] Packet& recall(const Reservation& reservation, std::uint32_t index);

  Reservations& all_;
  Fabric& fabric_;
  const LiveLink* met_ = nullptr;  // the link whose reservations a crossing packet revokes
  bool some_replayed_ = false;     // some of these packets arrive there by events
};

}  // namespace kbsim::hw
