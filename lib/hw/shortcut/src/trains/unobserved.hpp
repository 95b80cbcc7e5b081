#pragma once

#include <cstdint>
#include <utility>

#include "kbsim/hw/fabric/fabric.hpp"

#include "link_ahead.hpp"

namespace kbsim::hw {

struct Reservations;

/// Unobserved packets: packets before the last of a message whose receiver only counts them, or serves them
/// in the order of one link. The ingress link keeps them until another packet arrives, or a reader looks.
class Unobserved {
 public:
  Unobserved(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// Finds out how the node at the end of the link treats packets.
  void find_end(LiveLink& link);
  [[nodiscard]] bool is_unobserved(const Packet& packet, const LinkAhead& ingress) const;
  /// True if the packet, which has crossed the link, is unobserved. It is then freed.
  [[nodiscard]] bool arrives_unobserved(Packet& packet, LiveLink& link);
  /// True if the receiver accepts the packet now: it arrives at the time at which it was sent.
  [[nodiscard]] bool is_accepted_at_once(Packet& packet, const LiveLink& link);

  /// See IShortcut::accept_before().
  void accept_before(const Packet& packet);
  /// Packets that have arrived by the link, or at the node, before now are accepted.
  void catch_up(LiveLink& link);
  void catch_up(NodeId node);
  /// Packets that arrive at the node of the link before this packet, or before `at` and `port`, cross the
  /// link.
  void merge(LiveLink& link, const Packet& packet);
  void merge(LiveLink& link, Time at, std::uint32_t port);

 private:
  [[nodiscard]] bool arrives_later(const LiveLink& link) const;
  void accept(LiveLink& link, UnobservedPackets& packets, std::uint32_t count);
  [[nodiscard]] static std::pair<LiveLink*, LiveLink*> first_merged(const LinkAhead& there);
  void pass(LiveLink& link, LinkAhead& there, UnobservedPackets& packets, std::uint32_t count);

  Reservations& all_;
  Fabric& fabric_;
};

}  // namespace kbsim::hw
