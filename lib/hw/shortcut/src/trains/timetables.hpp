#pragma once

#include <cstdint>

#include "kbsim/hw/fabric/fabric.hpp"

#include "link_ahead.hpp"

namespace kbsim::hw {

struct Reservations;

/// The reservations of each link, in the order in which it serves. Links serve what is past.
class Timetables {
 public:
  Timetables(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// The link serves all reserved packets that arrive before this time and rank, as on their arrival.
  void serve_before(LiveLink& link, LinkAhead& there, Time at, ArrivalRank other);
  /// When the link is free after all reserved packets, or after those before `next`.
  [[nodiscard]] static Time free(const LiveLink& link, LinkAhead& there);
  [[nodiscard]] static Time free(const LiveLink& link, LinkAhead& there, InOrder<Reservation>::Place next);
  /// Another reservation follows the last one: its train grows no more.
  [[gnu::always_inline]] void close_last(LiveLink& link, LinkAhead& there);
  /// Removes the last reservation; its packets that are served stay so.
  void drop_back(LiveLink& link, LinkAhead& there);

 private:
  [[nodiscard]] bool serve_train(LiveLink& link, LinkAhead& there, Time at, ArrivalRank other);
  void serve_run(LiveLink& link, LinkAhead& there, const Reservation& reservation, std::uint32_t packets);
  static void serve_alike(LiveLink& link, const LinkAhead& there, const Reservation& reservation,
                          std::uint32_t i, std::uint32_t packets, Bytes size, Time service);
  static void serve_shorter(LiveLink& link, const LinkAhead& there, const Reservation& reservation);
  void drop_front(LiveLink& link, LinkAhead& there);

  Reservations& all_;
  Fabric& fabric_;
};

}  // namespace kbsim::hw
