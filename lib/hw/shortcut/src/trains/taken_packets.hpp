#pragma once

#include <functional>
#include <span>

#include "reservations.hpp"

namespace kbsim::hw {

/// Packets of certain one-packet messages, taken out of the fabric: they don't arrive at their next node.
/// Make it in the late phase, when no packet of this time waits at those nodes.
class TakenPackets {
 public:
  /// Leaves no reservations on `links`.
  TakenPackets(Fabric& fabric, std::span<LiveLink* const> links,
               const std::function<bool(const Message&)>& which)
      : fabric_{&fabric}, packets_{Reservations::of(fabric).take_over.take(links, which)} {}

  [[nodiscard]] std::span<Packet* const> all() const { return packets_; }
  /// Returns the packets: they arrive as if they hadn't been taken.
  void put_back() { Reservations::of(*fabric_).take_over.put_back(packets_); }
  /// Removes the packets and their messages, as if they had never been sent.
  void forget() {
    for (Packet* const packet : packets_) fabric_->forget(*packet);
  }

 private:
  Fabric* fabric_;
  PoolVector<Packet*> packets_;
};

}  // namespace kbsim::hw
