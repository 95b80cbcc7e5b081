#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/sim/pool_allocator.hpp"

namespace kbsim::hw {

/// The packets on their way of certain messages of one packet each, taken out of the fabric: where they come
/// next they don't come. Called late, when nothing of this time waits at the nodes that they come to.
class TakenPackets {
 public:
  /// Nobody's bookings are left on `links`.
  TakenPackets(Fabric& fabric, std::span<LiveLink* const> links,
               const std::function<bool(const Message&)>& which);

  [[nodiscard]] std::span<Packet* const> all() const { return packets_; }
  /// They come as if they hadn't been taken.
  void put_back();
  /// They and their messages never were.
  void forget();

 private:
  Fabric* fabric_;
  PoolVector<Packet*> packets_;
};

}  // namespace kbsim::hw
