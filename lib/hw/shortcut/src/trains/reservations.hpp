#pragma once

#include "kbsim/base/storage.hpp"
#include "kbsim/hw/fabric/fabric.hpp"

#include "../bursts/burst_packets.hpp"
#include "../link_claims.hpp"
#include "link_ahead.hpp"
#include "reserve_again.hpp"
#include "revocation.hpp"
#include "routes.hpp"
#include "shadowed_links.hpp"
#include "shadowed_packets.hpp"
#include "take_over.hpp"
#include "timetables.hpp"
#include "trains.hpp"
#include "unobserved.hpp"

namespace kbsim::hw {

/// Reserves the links of a packet's route: when each will serve it. A link serves packets in the order in
/// which they arrive at its node, by time and port. So a reservation holds until a packet arrives before it.
/// That packet revokes it, with all later reservations of this link and all that follow from them downstream.
/// A revoked packet is reserved again, or arrives at the link by an event.
struct Reservations {
  /// Make it as the last part of connecting the fabric.
  explicit Reservations(Fabric& fabric);
  Reservations(const Reservations&) = delete;
  Reservations& operator=(const Reservations&) = delete;

  /// The reservations of a fabric that reserves ahead.
  [[nodiscard]] static Reservations& of(const Fabric& fabric);

  /// The link's state, made at first use.
  [[nodiscard]] LinkAhead& ahead(LiveLink& link) {
    return link.ahead != nullptr ? *link.ahead : look_ahead(link);
  }
  /// The link by which the packet arrives.
  [[nodiscard]] LiveLink& ingress_of(const Packet& packet) const;
  /// True if no other process has links.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

  Claims claims;
  Timetables timetables;
  Trains trains;
  Routes routes;
  Revocation revocation;
  ReserveAgain again;
  ShadowedLinks shadows;
  ShadowedPackets shadowed;
  Unobserved unobserved;
  BurstPackets bursts;
  TakeOver take_over;

 private:
  [[gnu::cold]] LinkAhead& look_ahead(LiveLink& link);

  Fabric& fabric_;
  bool is_whole_;
  Storage<LinkAhead> ahead_;
};

}  // namespace kbsim::hw
