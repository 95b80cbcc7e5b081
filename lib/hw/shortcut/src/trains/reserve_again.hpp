#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/hw/fabric/fabric.hpp"

#include "link_ahead.hpp"

namespace kbsim::hw {

struct Reservations;

/// Reserves revoked packets again, from the link on at which another packet crossed before them: in a few
/// runs at a steady distance.
class ReserveAgain {
 public:
  ReserveAgain(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// True if the packets of a revoked reservation can be reserved again.
  [[nodiscard]] bool may_reserve_again(const Reservation& taken) const;
  /// Keeps a revoked reservation until the other packet has crossed.
  void keep(const Reservation& taken);
  [[nodiscard]] bool keeps_some() const { return !taken_.empty(); }
  /// Kept reservations of the same packets at a later hop end before packet `from`.
  void shorten_kept(const Reservation& earlier, std::uint32_t from);
  /// All kept packets arrive by events after all.
  void replay_kept();
  /// The other packet has crossed: reserves for all kept packets.
  void reserve_again();

 private:
  struct TwoPassages {
    Passage first;
    Passage second;
    Time service{};
    std::uint32_t shadowed = 0;  // number of shadowed links after this one
    Time reach{};
  };

  void reserve_kept(const Reservation& taken);
  void reserve_one(const Reservation& taken);
  [[nodiscard]] std::uint32_t reserve_run(const Reservation& taken, std::uint32_t from);
  [[nodiscard]] bool pass_on(Packet packet, Time gap, std::uint32_t to, bool& paces);
  void reserve_links(const Reservation& taken, std::uint32_t from, std::uint32_t end);
  void move_ends(Train& train, const Reservation& last, std::uint32_t from, std::uint32_t end);

  Reservations& all_;
  Fabric& fabric_;
  std::vector<Reservation> taken_;         // the last ones first
  std::vector<TwoPassages> two_passages_;  // by link
};

}  // namespace kbsim::hw
