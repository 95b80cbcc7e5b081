#pragma once

#include <cstdint>

#include "kbsim/hw/fabric/fabric.hpp"

#include "link_ahead.hpp"

namespace kbsim::hw {

struct Reservations;

/// Packets on shadowed links: they are counted there after they have crossed, or get reservations of their
/// own when a reader looks or another packet arrives.
class ShadowedPackets {
 public:
  ShadowedPackets(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// True if the served packets are kept: they may still have to cross shadowed links.
  [[nodiscard]] bool keeps(LinkAhead& there, const Reservation& served);
  /// A packet arrives between the served packets of the reservation and the others. From now on the
  /// reservation is for the others only.
  void split(LinkAhead& there, Reservation& reservation);
  /// Gives all packets that may cross the link reservations there.
  void unfold(LiveLink& link);
  /// Brings the links that this one shadows up to date before they are read.
  void show_passing(LiveLink& link, LinkAhead& there);
  /// True if a packet may be on the link, or arrive there, without a reservation.
  [[nodiscard]] bool has_shadowed_packets(LiveLink& link);

 private:
  template <class Do>
  void for_shadowed(const LinkId* shadow, std::uint32_t shadowed, Do act);
  void drop_passed(LinkAhead& there);
  [[nodiscard]] bool has_passed(const Reservation& reservation) const;
  void account(LinkAhead& there, const Reservation& passed);
  void account(LinkAhead& there, const Reservation& passed, Bytes size, std::uint32_t first,
               std::uint32_t end);
  void account(Crossed& crossed);
  void account_all(LinkAhead& there);
  void show(const Reservation& reservation, std::uint32_t end);
  static void insert(LiveLink& link, LinkAhead& there, const Reservation& shown);
  void unfold(LinkAhead& there, Reservation& reservation);
  void unfold_all(LiveLink& link);

  Reservations& all_;
  Fabric& fabric_;
};

}  // namespace kbsim::hw
