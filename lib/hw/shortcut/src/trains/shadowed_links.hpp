#pragma once

#include <cstdint>
#include <span>

#include "kbsim/hw/fabric/fabric.hpp"

#include "link_ahead.hpp"

namespace kbsim::hw {

struct Reservations;

/// Knows which links are shadowed: all packets enter them from one other link, which is no faster. Packets
/// cross them without reservations.
class ShadowedLinks {
 public:
  ShadowedLinks(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// See IShortcut::know().
  void know(std::span<const LinkId> route);
  /// Some packets may enter the link otherwise from now on.
  void end_shadow(LiveLink& link, LinkAhead& there);
  /// Crosses the shadowed links after the link of the reservation, before hop `end`.
  void cross_shadowed(Packet& packet, Reservation& reservation, std::uint32_t end);
  /// Crosses the same shadowed links as the packet before it, after the same link.
  void skip(Packet& packet, const LiveLink& link, std::uint32_t shadowed, Time reach) const;

 private:
  [[nodiscard]] bool may_shadow(const LiveLink& link, LiveLink& before);
  [[nodiscard]] const Path::Shadow& shadow(Path& path, std::uint32_t hop) const;
  void find_shadow(Path& path, std::uint32_t hop) const;
  [[nodiscard]] Path::Shadow shadow_from(const Path& path, std::uint32_t hop) const;
  static void cross_unreserved(Packet& packet, const LiveLink& link);

  Reservations& all_;
  Fabric& fabric_;
  bool has_shadows_ = false;         // some link is shadowed, or was
  std::uint32_t shadows_ended_ = 0;  // number of links that are shadowed no longer
};

}  // namespace kbsim::hw
