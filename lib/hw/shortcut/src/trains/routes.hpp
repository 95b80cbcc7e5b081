#pragma once

#include "kbsim/hw/fabric/fabric.hpp"

#include "link_ahead.hpp"

namespace kbsim::hw {

struct Reservations;

/// Reserves the links of a packet's route, from where it is to the first link that can't be reserved. There
/// it arrives by an event.
class Routes {
 public:
  Routes(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// See IShortcut.
  [[nodiscard]] bool leave(Packet& packet);
  void arrive(Packet& packet, LiveLink& ingress);

  /// Reserves from the end of `ingress` on. `train` has the packet's reservation before that, if any.
  /// `keeper` keeps a train that begins; `at_first`: the packet at its first node.
  void go_on(Packet& packet, LiveLink* ingress, Train* train, Train*& keeper, const Passage& at_first);
  /// The packet arrives at the end of the link, with no further reservation.
  void arrive_at_end(Packet& packet, LiveLink& ingress);
  /// True if the packet is served after all that are reserved on the link.
  [[nodiscard]] bool may_reserve(const Packet& packet, LiveLink& link, LinkAhead& there);

 private:
  [[nodiscard]] bool leaves_last(const Packet& packet, LiveLink& link, LinkAhead& there);
  void fetch_ahead(const Packet& packet);
  void end_route(Packet& packet, LiveLink& ingress, Train* train);
  [[nodiscard]] static bool is_after_all(const Packet& packet, LinkAhead& there);
  [[nodiscard]] bool revokes_few(const Packet& packet, LiveLink& link, LinkAhead& there);
  [[nodiscard]] bool is_alone(const Reservation& reservation);
  [[nodiscard]] bool reserves_between(Packet& packet, LiveLink& link, LinkAhead& there);
  void reserve_link(Packet& packet, LiveLink& link, LinkAhead& there, Train* train);

  Reservations& all_;
  Fabric& fabric_;
};

}  // namespace kbsim::hw
